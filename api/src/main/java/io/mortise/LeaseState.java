package io.mortise;

/** The state of a hold, as far as this process knows. */
public enum LeaseState {
  /** Held, and its lease has not ended. */
  HELD,
  /**
   * Held as far as is known, but the last renewal failed, or the machine may have been suspended
   * since the store last answered. The service asks the store again. In the second case the lease
   * may be over already; {@link Lease#isValid} and {@link LeasedLock#isHeldByCurrentThread} then
   * say no.
   */
  SUSPECT,
  /** The lease ended, or the store no longer has it. Another holder may have the lock. */
  LOST,
  /** Not held: never acquired, or given back. */
  RELEASED
}
