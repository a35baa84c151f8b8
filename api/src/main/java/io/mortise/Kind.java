package io.mortise;

/** The kind of a lock, or of what else can be waited for. */
public enum Kind {
  /** A lock of {@link LockService#getLock}, also if it is shared with Redisson. */
  PLAIN,
  /** A lock of {@link LockService#getFairLock}. */
  FAIR,
  /** A lock of {@link LockService#getFencedLock}. */
  FENCED,
  /** The read side of a {@link DistributedReadWriteLock}. */
  READ,
  /** The write side of a {@link DistributedReadWriteLock}. */
  WRITE,
  /** Permits of a {@link DistributedSemaphore}. */
  SEMAPHORE,
  /** A wait for a {@link DistributedCountDownLatch}, which gives nothing to hold. */
  LATCH
}
