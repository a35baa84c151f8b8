package io.mortise.spring;

import io.mortise.DistributedLock;

/** A lock that is held for work of the current thread. */
interface HeldLock {
  /** The lock. */
  DistributedLock lock();

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
}
