package io.mortise.internal.engine;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.LockException;
import io.mortise.internal.concurrent.Futures;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The ways to acquire a lock, and to give up. */
final class Visitor {
  private final Random random;
  private final Schedule schedule;
  private final boolean faulty;

  Visitor(Random random, Schedule schedule, boolean faulty) {
    this.random = random;
    this.schedule = schedule;
    this.faulty = faulty;
  }

  /** A task that may throw what an acquisition throws. */
  interface Attempt<T extends @Nullable Object> {
    T run() throws InterruptedException;
  }

  int choose(int ways) {
    return random.nextInt(ways);
  }

  /** A random duration up to this. */
  Duration millis(int most) {
    return Duration.ofMillis(random.nextInt(most));
  }

  /** The result, or null if the thread was interrupted, or if a command failed where some do. */
  <T> @Nullable T attempt(Attempt<@Nullable T> attempt) {
    try {
      return attempt.run();
    } catch (InterruptedException e) {
      return null;
    } catch (LockException e) {
      if (!faulty) {
        throw new AssertionError("no command failed, but: " + e, e);
      }
      return null;
    }
  }

  /** Acquires by a thread. Returns how to release, or null. */
  @Nullable Runnable lock(Lock lock) {
    return attempt(() -> {
      boolean inside =
          switch (random.nextInt(5)) {
            case 0 -> lock.tryLock();
            case 1 -> {
              lock.lockInterruptibly();
              yield true;
            }
            case 2, 3 -> lock.tryLock(random.nextInt(40), TimeUnit.MILLISECONDS);
            default -> {
              lock.lock();
              yield true;
            }
          };
      return inside ? lock::unlock : null;
    });
  }

  /** Acquires by a lease, on this thread or another. Returns how to release, or null. */
  @Nullable Runnable lease(LeasedLock lock) {
    return attempt(() -> {
      Lease lease =
          switch (random.nextInt(4)) {
            case 0 -> lock.tryAcquire(millis(40)).orElse(null);
            case 1 -> lock.acquire();
            default -> pending(lock.async());
          };
      return lease == null ? null : leaving(lease);
    });
  }

  /** Waits for a pending acquisition, or cancels it. */
  @Nullable Lease pending(AsyncLock async) throws InterruptedException {
    return random.nextBoolean()
        ? settle(async.tryAcquire(millis(40))).flatMap(Function.identity()).orElse(null)
        : settle(async.acquire()).orElse(null);
  }

  private <T> Optional<T> settle(CompletableFuture<T> pending) throws InterruptedException {
    schedule.point();
    if (random.nextInt(3) == 0 && pending.cancel(true)) {
      return Optional.empty();
    }
    return Optional.of(Futures.await(pending, schedule));
  }

  /** Gives back some permits of a lease. */
  Runnable returning(Lease lease, int permits) {
    boolean waits = random.nextBoolean();
    return () -> {
      if (waits) {
        lease.release(permits);
      } else {
        CompletableFuture<Void> unused = lease.releaseAsync(permits);
      }
    };
  }

  Runnable leaving(Lease lease) {
    boolean waits = random.nextBoolean();
    return () -> {
      if (waits) {
        lease.close();
      } else {
        CompletableFuture<Void> unused = lease.releaseAsync();
      }
    };
  }
}
