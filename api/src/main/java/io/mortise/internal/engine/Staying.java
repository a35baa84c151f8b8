package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;

/**
 * Which holds may stay in their process when a thread has unlocked (rule L12). A hold is handed off
 * if a thread waits for it, and may be retained if none does. Both are over some time after the
 * acquisition from the store, whatever has happened since.
 */
final class Staying {
  private static final long HAND_OFF = ServiceOptions.HAND_OFF_TIME.toNanos();

  private final Store store;

  Staying(Store store) {
    this.store = store;
  }

  boolean mayHandOff(Acquisition held, int handOffs, LockKind kind, Waiter next, long now) {
    return handOffs < store.options().mostHandOffs(kind)
        && next.lease().mayBeHandedOff()
        && now - held.lease().acquiredAt() < HAND_OFF
        && isSafe(held, store.options().shortestGiven(held.lease().terms()), now);
  }

  /**
   * Whether a hold may be retained, and may be taken over while it is. None is retained during a
   * renewal, whose failure would be told though nobody is inside.
   */
  boolean mayRetain(Acquisition held, long now) {
    return now - held.lease().acquiredAt() < store.retain()
        && !held.lease().isRenewing()
        && isSafe(held, held.lease().terms().nanos(), now);
  }

  private boolean isSafe(Acquisition held, long whole, long now) {
    LeaseTerms lease = held.lease().terms();
    return lease.mayBeHandedOff()
        && held.lease().rest(now) == 0
        && held.lease().state(now) == LeaseState.HELD
        && held.lease().remaining(now) >= whole / 2
        && store.takesWork();
  }
}
