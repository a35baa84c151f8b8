/** The rules of what a service shows: holders, its own holds, and what listeners are told. */
@NullMarked
package io.mortise.conformance.lock.looking;

import org.jspecify.annotations.NullMarked;
