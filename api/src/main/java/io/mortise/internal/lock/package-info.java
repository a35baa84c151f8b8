/**
 * The handles that an application gets, and the builder that opens a service. Start at {@code
 * LockHandle}.
 */
@NullMarked
package io.mortise.internal.lock;

import org.jspecify.annotations.NullMarked;
