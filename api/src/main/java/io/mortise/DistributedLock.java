package io.mortise;

import java.time.Duration;

/** One named lock of one {@link LockService}. Two handles of one name are the same lock. */
public interface DistributedLock extends LeasedLock {
  @Override
  DistributedLock withLease(Duration lease);

  /**
   * Whether anybody holds the lock: one read-only command, a snapshot.
   *
   * @return whether it is held, here or elsewhere
   */
  boolean isLocked();

  /**
   * What is left of the current lease, whoever holds it: one read-only command, a snapshot.
   *
   * @return milliseconds, or -2 if the lock is free
   */
  long remainTimeToLive();

  /**
   * Ends anybody's hold and lets the next waiter in. The holder is told at once if it can be
   * reached, else at its next renewal if it has one; its {@code unlock} throws {@link
   * LeaseLostException}.
   *
   * @return whether it was held
   */
  boolean forceUnlock();
}
