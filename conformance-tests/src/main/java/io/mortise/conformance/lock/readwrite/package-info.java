/** The rules of the read/write lock. */
@NullMarked
package io.mortise.conformance.lock.readwrite;

import org.jspecify.annotations.NullMarked;
