package io.mortise.cdi;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.cdi.WithLock.IfBusy;
import io.mortise.cdi.WithLock.Kind;
import io.mortise.cdi.WithLock.OnLost;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired and held.
 *
 * @param handle which lock of a name, and with which lease
 * @param waitFor the longest time to wait; null for no limit
 * @param atLeast how long after its acquisition the lock is not free again
 */
record LockTerms(
    Handle handle, IfBusy ifBusy, @Nullable Duration waitFor, Duration atLeast, OnLost onLost) {

  /**
   * Which lock of a name.
   *
   * @param lease a fixed lease; null for a renewed one
   * @param maxHold the longest time of a renewed lease; null for no limit
   */
  record Handle(Kind kind, @Nullable Duration lease, @Nullable Duration maxHold) {
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
  LockTarget target(LockService service, List<String> names) {
    return LockTarget.of(names.stream().map(name -> handle.lock(service, name)).toList());
  }

  /** Whether it is the side of a read/write lock for readers. */
  boolean isShared() {
    return handle.kind() == Kind.READ;
  }

  /** Acquires the lock for the calling thread. */
  boolean lock(LeasedLock lock) throws InterruptedException {
    if (waitFor == null) {
      lock.lockInterruptibly();
      return true;
    }
    return waitFor.isZero() ? lock.tryLock() : lock.tryLock(waitFor);
  }

  /** Acquires a lease, which is bound to no thread. The calling thread waits for it. */
  Optional<Lease> lease(LeasedLock lock) throws InterruptedException {
    return waitFor == null ? Optional.of(lock.acquire()) : lock.tryAcquire(waitFor);
  }

  /** The time to wait, for people. */
  String waitText() {
    return waitFor == null ? "forever" : waitFor.toMillis() + " ms";
  }
}
