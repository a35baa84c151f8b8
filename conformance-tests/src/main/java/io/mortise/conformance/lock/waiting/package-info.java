/** The rules of waiting for a lock: the queue, wake-ups, deadlines and giving up. */
@NullMarked
package io.mortise.conformance.lock.waiting;

import org.jspecify.annotations.NullMarked;
