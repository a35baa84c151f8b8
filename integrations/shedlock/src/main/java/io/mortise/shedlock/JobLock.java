package io.mortise.shedlock;

import io.mortise.Lease;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * What ShedLock has of a {@link JobHold}. It is used up when it is unlocked or extended. Each
 * extension has an object of its own. Thread-safe.
 */
final class JobLock implements SimpleLock {
  private final JobHold hold;
  private final LockConfiguration job;
  private final long start = System.nanoTime();
  private final AtomicBoolean used = new AtomicBoolean();

  private JobLock(JobHold hold, LockConfiguration job) {
    this.hold = hold;
    this.job = job;
  }

  static SimpleLock of(Lease lease, LockConfiguration job) {
    return new JobLock(JobHold.of(lease, job.getLockAtMostFor()), job);
  }

  @Override
  public void unlock() {
    use();
    try {
      hold.unlock(job.getLockAtLeastFor().minusNanos(System.nanoTime() - start));
    } finally {
      used.set(hold.isOver());
    }
  }

  /** A lock that cannot be extended can still be unlocked. That then throws what has happened. */
  @Override
  public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
    LockConfiguration next =
        new LockConfiguration(ClockProvider.now(), job.getName(), lockAtMostFor, lockAtLeastFor);
    MortiseLockProvider.checkTimes(next);
    use();
    boolean extended = false;
    try {
      extended = hold.extend(lockAtMostFor);
    } finally {
      used.set(extended);
    }
    return extended ? Optional.of(new JobLock(hold, next)) : Optional.empty();
  }

  private void use() {
    if (!used.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "the lock of job '%s' was unlocked or extended before; use what extend() returned"
              .formatted(Shown.of(job.getName())));
    }
  }

  @Override
  public String toString() {
    return "lock of job '%s'".formatted(Shown.of(job.getName()));
  }
}
