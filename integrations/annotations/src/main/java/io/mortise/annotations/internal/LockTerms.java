package io.mortise.annotations.internal;

import io.mortise.DistributedLock;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is acquired and held.
 *
 * @param handle which lock of a name, and with which lease
 * @param waitFor the longest time to wait; null for no limit
 * @param atLeast how long after its acquisition the lock is not free again
 * @param skips whether a call whose lock is busy is skipped
 * @param interrupts whether a loss interrupts the work
 */
public record LockTerms(
    Handle handle,
    @Nullable Duration waitFor,
    Duration atLeast,
    boolean skips,
    boolean interrupts) {

  /** The kinds of locks. They have the names of those of the annotations. */
  public enum Kind {
    PLAIN,
    FAIR,
    FENCED,
    READ,
    WRITE
  }

  /**
   * Which lock of a name.
   *
   * @param lease a fixed lease; null for a renewed one
   * @param maxHold the longest time of a renewed lease; null for no limit
   */
  public record Handle(Kind kind, @Nullable Duration lease, @Nullable Duration maxHold) {
    /** The plain lock with a renewed lease. */
    public static final Handle PLAIN = new Handle(Kind.PLAIN, null, null);

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
  public LockTarget target(LockService service, List<String> names) {
    return LockTarget.of(names.stream().map(name -> handle.lock(service, name)).toList());
  }

  /** Whether it is the side of a read/write lock for readers. */
  public boolean isShared() {
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

  /** The time to wait, for people. */
  String waitText() {
    return waitFor == null ? "forever" : waitFor.toMillis() + " ms";
  }
}
