/** The rules of conditions. */
@NullMarked
package io.mortise.conformance.lock.condition;

import org.jspecify.annotations.NullMarked;
