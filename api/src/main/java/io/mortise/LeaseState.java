package io.mortise;

/** The state of a hold, as far as this process knows. */
public enum LeaseState {
  /** Held, and its lease has not ended. */
  HELD,
  /** Held, and its lease has not ended, but the last renewal failed. The service tries it again. */
  SUSPECT,
  /** The lease ended, or the store no longer has it. Another holder may have the lock. */
  LOST,
  /** Not held: never acquired, or given back. */
  RELEASED
}
