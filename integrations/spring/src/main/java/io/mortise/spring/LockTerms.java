package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.Kind;
import io.mortise.spring.WithLock.OnLost;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired and held.
 *
 * @param waitFor the longest time to wait; null for no limit
 * @param lease a fixed lease; null for a renewed one
 * @param maxHold the longest time of a renewed lease; null for no limit
 * @param atLeast how long after its acquisition the lock is not free again
 */
record LockTerms(
    Kind kind,
    IfBusy ifBusy,
    @Nullable Duration waitFor,
    @Nullable Duration lease,
    @Nullable Duration maxHold,
    Duration atLeast,
    OnLost onLost) {

  /** The handle of the lock with that name. */
  DistributedLock lock(LockService service, String name) {
    DistributedLock lock =
        switch (kind) {
          case PLAIN -> service.getLock(name);
          case FAIR -> service.getFairLock(name);
          case FENCED -> service.getFencedLock(name);
          case READ -> service.getReadWriteLock(name).readLock();
          case WRITE -> service.getReadWriteLock(name).writeLock();
        };
    if (maxHold != null) {
      return lock.withMaxHold(maxHold);
    }
    return lease == null ? lock : lock.withLease(lease);
  }

  /** Whether it is the side of a read/write lock for readers. */
  boolean isShared() {
    return kind == Kind.READ;
  }

  /** Acquires the lock for the calling thread. */
  boolean acquire(DistributedLock lock) throws InterruptedException {
    if (waitFor == null) {
      lock.lockInterruptibly();
      return true;
    }
    return waitFor.isZero() ? lock.tryLock() : lock.tryLock(waitFor);
  }

  /** The time to wait, for people. */
  String waitText() {
    return waitFor == null ? "forever" : waitFor.toMillis() + " ms";
  }
}
