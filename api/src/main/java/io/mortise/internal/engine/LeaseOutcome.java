package io.mortise.internal.engine;

import io.mortise.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What became of a claim that neither failed nor was withdrawn.
 *
 * @param lease what was acquired; null if nothing
 * @param heldBy who had the lock, if that was why; null if the time to wait was over
 * @param open whether nothing need be held, since the latch is open
 */
public record LeaseOutcome(@Nullable Lease lease, @Nullable String heldBy, boolean open) {
  /** Of what must be held. */
  public LeaseOutcome(@Nullable Lease lease, @Nullable String heldBy) {
    this(lease, heldBy, false);
  }
}
