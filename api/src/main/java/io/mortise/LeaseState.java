package io.mortise;

/** How a hold stands, as far as this process knows. */
public enum LeaseState {
  /** Held, and its lease has not ended. */
  HELD,
  /** Held and not yet ended, but the last renewal failed; it is being tried again. */
  SUSPECT,
  /** The lease ended, or the store no longer has it: somebody else may hold the lock. */
  LOST,
  /** Not held: never taken, or given back. */
  RELEASED
}
