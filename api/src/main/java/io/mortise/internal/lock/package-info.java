/** The handles that an application gets, and how a service is opened. */
@NullMarked
package io.mortise.internal.lock;

import org.jspecify.annotations.NullMarked;
