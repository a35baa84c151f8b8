package io.mortise.internal.composite;

import io.mortise.LeaseChange;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The party that requests a Redlock.
 *
 * @param thread the thread that is to hold it; null for a lease that is bound to no thread
 * @param told the listener for a lease that is suspect or lost
 */
record QuorumOwner(@Nullable Thread thread, Consumer<? super LeaseChange> told) {
  /** Whether nobody can release it any more, because its thread has ended. */
  boolean isGone() {
    return thread != null && !thread.isAlive();
  }
}
