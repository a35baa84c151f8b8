/** The rules of the multi-lock. */
@NullMarked
package io.mortise.conformance.lock.multi;

import org.jspecify.annotations.NullMarked;
