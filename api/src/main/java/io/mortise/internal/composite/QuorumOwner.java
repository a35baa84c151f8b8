package io.mortise.internal.composite;

import io.mortise.LeaseChange;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who claims a red lock.
 *
 * @param thread that is to hold it; null for a lease that is bound to no thread
 * @param told of the lease's dangers and loss
 */
public record QuorumOwner(@Nullable Thread thread, Consumer<? super LeaseChange> told) {
  /** Whether nobody can release it any more. */
  boolean isGone() {
    return thread != null && !thread.isAlive();
  }
}
