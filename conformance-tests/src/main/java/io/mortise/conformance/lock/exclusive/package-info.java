/** The rules of the exclusive locks: plain, fair and fenced. */
@NullMarked
package io.mortise.conformance.lock.exclusive;

import org.jspecify.annotations.NullMarked;
