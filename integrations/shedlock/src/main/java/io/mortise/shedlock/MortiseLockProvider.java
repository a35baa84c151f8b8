package io.mortise.shedlock;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.jspecify.annotations.Nullable;

/**
 * A lock provider for ShedLock whose locks are leases of a {@link LockService}. Thread-safe.
 *
 * <p>The lock of a job named {@code report} is {@code locks.getLock("report")}. So it excludes also
 * those that take this lock without ShedLock.
 *
 * <ul>
 *   <li>The lease is renewed while the process lives. The lock of a process that has died is free
 *       when the lease ends, 30 s by default, and not after {@code lockAtMostFor}.
 *   <li>After {@code lockAtMostFor} the lock of a running job is released, with a warning in the
 *       log. {@code unlock} then throws {@link io.mortise.LeaseLostException}, as it does after
 *       every other loss.
 *   <li>{@code lockAtLeastFor} is kept by the store once the job has ended, and the process may
 *       then end too. It does not hold for a job that never ends. If the process dies in the job,
 *       the lock is free when the lease ends. If the service is closed in the job, the lock is free
 *       at once. {@link LockService#close(java.time.Duration)} lets jobs end before.
 *   <li>{@code extend} sets the two times anew, and returns nothing if the lock is no longer held.
 *       It sends a command only if the machine may have been suspended beyond the lease. If the
 *       store does not answer then, it returns nothing, and the old times stay.
 *   <li>No lock of another holder is ever released.
 * </ul>
 *
 * <p>Any thread may extend and unlock. If the store does not answer, {@code lock} throws a {@link
 * LockException}, and the job does not run.
 */
public final class MortiseLockProvider implements ExtensibleLockProvider {
  /** The longest time that a lock may be kept after its job. */
  private static final Duration LONGEST = Duration.ofDays(10_000);

  private final LockService locks;

  /**
   * A provider of this service's locks.
   *
   * @param locks the caller keeps and closes it
   */
  public MortiseLockProvider(LockService locks) {
    this.locks = Objects.requireNonNull(locks, "locks");
  }

  /**
   * Tries to acquire the lock of a job, without waiting for its holder.
   *
   * @param job its name is 1 to 512 bytes of UTF-8, as for {@link LockService#getLock}
   * @return the lock, or nothing if another holder has it
   * @throws IllegalArgumentException the name cannot be that of a lock, or a time is longer than
   *     10,000 days
   * @throws LockException the store cannot be reached, refuses, or did not answer, or the thread is
   *     interrupted; the cause says which
   */
  @Override
  public Optional<SimpleLock> lock(LockConfiguration job) {
    checkTimes(job);
    return tryAcquire(job.getName()).map(lease -> JobLock.of(lease, job));
  }

  private Optional<Lease> tryAcquire(String name) {
    try {
      return locks.getLock(name).tryAcquire(Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notLocked(name, "thread %s is interrupted".formatted(Shown.thisThread()), e);
    } catch (io.mortise.LockException e) {
      throw notLocked(name, e.getMessage(), e);
    }
  }

  private static LockException notLocked(String name, @Nullable String why, Exception cause) {
    return new LockException("job '%s' does not run: %s".formatted(Shown.of(name), why), cause);
  }

  /** Refuses a time before the lock is acquired that could not be kept after it. */
  static void checkTimes(LockConfiguration job) {
    if (job.getLockAtMostFor().compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "job '%s': lockAtMostFor %s is longer than 10,000 days"
              .formatted(Shown.of(job.getName()), job.getLockAtMostFor()));
    }
  }
}
