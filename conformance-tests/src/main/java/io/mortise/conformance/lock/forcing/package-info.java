/** The rules of forced unlocks. */
@NullMarked
package io.mortise.conformance.lock.forcing;

import org.jspecify.annotations.NullMarked;
