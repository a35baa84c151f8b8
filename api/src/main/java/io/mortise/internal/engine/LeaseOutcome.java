package io.mortise.internal.engine;

import io.mortise.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a lease request that neither failed nor was withdrawn: acquired, held by another,
 * timed out, or (latch) open.
 *
 * @param lease the lease that was acquired; null if none was
 * @param heldBy the holder that kept the lock, if that was the reason; null if the wait timed out
 * @param open whether nothing need be held, because the latch is open
 */
public record LeaseOutcome(@Nullable Lease lease, @Nullable String heldBy, boolean open) {
  /** The outcome for a lock or permits, which are never open. */
  public LeaseOutcome(@Nullable Lease lease, @Nullable String heldBy) {
    this(lease, heldBy, false);
  }
}
