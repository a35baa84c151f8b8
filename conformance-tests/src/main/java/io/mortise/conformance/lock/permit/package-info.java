/** The rules of semaphores and latches. */
@NullMarked
package io.mortise.conformance.lock.permit;

import org.jspecify.annotations.NullMarked;
