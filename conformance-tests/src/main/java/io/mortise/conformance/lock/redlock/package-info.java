/** The rules of the Redlock. */
@NullMarked
package io.mortise.conformance.lock.redlock;

import org.jspecify.annotations.NullMarked;
