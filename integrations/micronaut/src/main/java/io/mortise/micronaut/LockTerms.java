package io.mortise.micronaut;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import io.mortise.micronaut.WithLock.IfBusy;
import io.mortise.micronaut.WithLock.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired and held.
 *
 * @param waitFor the longest time to wait; null for no limit
 * @param atLeast how long after its acquisition the lock is not free again
 */
record LockTerms(
    Kind kind, IfBusy ifBusy, @Nullable Duration waitFor, Duration atLeast, Length length) {

  /**
   * How long a hold may last.
   *
   * @param lease a fixed lease; null for a renewed one
   * @param maxHold the longest time of a renewed lease; null for no limit
   */
  record Length(@Nullable Duration lease, @Nullable Duration maxHold) {}

  /** The lock of these names. Several names are several locks, all or none of them. */
  LeasedLock lock(LockService service, List<String> names) {
    return names.size() == 1
        ? lock(service, names.get(0))
        : MultiLock.of(names.stream().map(name -> lock(service, name)).toArray(LeasedLock[]::new));
  }

  private LeasedLock lock(LockService service, String name) {
    DistributedLock lock =
        switch (kind) {
          case PLAIN -> service.getLock(name);
          case FAIR -> service.getFairLock(name);
          case FENCED -> service.getFencedLock(name);
          case READ -> service.getReadWriteLock(name).readLock();
          case WRITE -> service.getReadWriteLock(name).writeLock();
        };
    if (length.maxHold != null) {
      return lock.withMaxHold(length.maxHold);
    }
    return length.lease == null ? lock : lock.withLease(length.lease);
  }

  /** Acquires the lock for the calling thread. */
  boolean hold(LeasedLock lock) throws InterruptedException {
    if (waitFor == null) {
      lock.lockInterruptibly();
      return true;
    }
    return waitFor.isZero() ? lock.tryLock() : lock.tryLock(waitFor);
  }

  /** Acquires a lease, which is bound to no thread. */
  Optional<Lease> lease(LeasedLock lock) throws InterruptedException {
    return waitFor == null ? Optional.of(lock.acquire()) : lock.tryAcquire(waitFor);
  }

  /** The time to wait, for people. */
  String waitText() {
    return waitFor == null ? "forever" : waitFor.toMillis() + " ms";
  }
}
