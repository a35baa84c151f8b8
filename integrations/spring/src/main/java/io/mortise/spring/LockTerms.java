package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.spring.WithLock.IfBusy;
import io.mortise.spring.WithLock.Kind;
import io.mortise.spring.WithLock.OnLost;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired and held.
 *
 * @param handle which lock or semaphore of a name, and with which lease
 * @param waitFor the longest time to wait; null for no limit
 * @param atLeast how long after its acquisition the lock is not free again
 */
record LockTerms(
    Handle handle, IfBusy ifBusy, @Nullable Duration waitFor, Duration atLeast, OnLost onLost) {

  /**
   * Which lock or semaphore of a name.
   *
   * @param lease a fixed lease; null for a renewed one
   * @param maxHold the longest time of a renewed lease; null for no limit
   * @param permits how many permits of a semaphore; 0 for a lock
   * @param totalPermits how many a semaphore gets that has none; 0 for none
   */
  record Handle(
      Kind kind,
      @Nullable Duration lease,
      @Nullable Duration maxHold,
      int permits,
      int totalPermits) {
    /** The plain lock with a renewed lease. */
    static final Handle PLAIN = new Handle(Kind.PLAIN, null, null, 0, 0);

    private Target target(LockService service, List<String> names) {
      if (permits == 0) {
        return names.size() == 1
            ? LockTarget.of(lock(service, names.get(0)))
            : LockTarget.of(names.stream().map(name -> lock(service, name)).toList());
      }
      DistributedSemaphore semaphore = service.getSemaphore(names.get(0));
      return new PermitTarget(
          lease == null ? semaphore : semaphore.withLease(lease), permits, totalPermits);
    }

    private DistributedLock lock(LockService service, String name) {
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
  }

  /** What a call with these names holds. Several names are several locks, all or none of them. */
  Target target(LockService service, List<String> names) {
    return handle.target(service, names);
  }

  /** Whether it is the side of a read/write lock for readers. */
  boolean isShared() {
    return handle.kind() == Kind.READ;
  }

  /** Acquires the lock for the calling thread. */
  boolean acquire(LeasedLock lock) throws InterruptedException {
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
