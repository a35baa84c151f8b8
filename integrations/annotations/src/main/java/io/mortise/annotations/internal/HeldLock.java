package io.mortise.annotations.internal;

import io.mortise.LeaseLostException;

/** A lock that is held for work of the current thread. */
public interface HeldLock {
  /** What is held. */
  Target target();

  /**
   * Throws unless the lock is held and its lease has not ended.
   *
   * @throws io.mortise.LeaseLostException the lease is over
   */
  void ensureHeld();

  /**
   * The fencing token of this hold.
   *
   * @throws IllegalStateException the lock is not fenced
   */
  long fencingToken();

  /** Whether it is the side of a read/write lock for readers. */
  boolean isShared();

  /** Whether the thread itself may acquire the lock again. */
  boolean isReentrant();

  /** Ends it if its work is over and another thread has ended its transaction. */
  default void endIfOver() {}

  /** The exception for a lease that is over. */
  static LeaseLostException lost(Target target) {
    return new LeaseLostException(
        "%s was lost while the work under it was running; others may have held it since (docs/troubleshooting.md#lease-lost)"
            .formatted(target.text()));
  }

  /** The exception for a lock without fencing tokens. */
  static IllegalStateException noToken(Target target) {
    return new IllegalStateException(target.text() + " has no fencing token; set kind = FENCED");
  }
}
