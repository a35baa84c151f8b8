package io.mortise.backend.inmemory;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.RedLock;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A thread that uses a Redlock in many ways. Sometimes it ends while it holds the lock. */
final class RedSimulatedThread extends Thread {
  private final RedSimulation simulation;
  private final RedLock lock;
  private final Random random;
  private volatile String doing = "begins";
  private volatile boolean idle;
  private volatile boolean waits;
  private volatile long waitsSince;

  RedSimulatedThread(RedSimulation simulation, RedLock lock, String name, long seed) {
    super(name);
    this.simulation = simulation;
    this.lock = lock;
    random = new Random(seed);
    setDaemon(true);
  }

  RedLock lock() {
    return lock;
  }

  boolean isIdle() {
    return idle;
  }

  /** Whether it waits, and goes on until it has the lock. */
  boolean isWaiting() {
    return waits;
  }

  long waitsSince() {
    return waitsSince;
  }

  @Override
  public void run() {
    boolean dies = false;
    try {
      while (!dies && simulation.goesOn()) {
        dies = visit();
        simulation.park(Duration.ofMillis(random.nextInt(60)));
      }
      doing = "is done";
    } catch (Throwable e) {
      simulation.failed(this + " failed", e);
    } finally {
      idle = true;
      if (dies) {
        simulation.replace(this);
      }
    }
  }

  /** Returns whether the thread is to end while it holds the lock. */
  private boolean visit() {
    try {
      if (random.nextInt(5) == 0) {
        asksForALease();
        return false;
      }
      return acquire() && stayInside();
    } catch (InterruptedException | LockException | LeaseLostException e) {
      return false; // interrupted, too few nodes answered, or lost by a fault
    } finally {
      waits = false;
      boolean cleared = Thread.interrupted();
      doing = cleared ? "was interrupted" : "holds nothing";
    }
  }

  /** Its future ends in many ways. Nothing is left of it. */
  private void asksForALease() {
    doing = "asks for a lease";
    Duration most = Duration.ofMillis(random.nextInt(2_000));
    CompletableFuture<Optional<Lease>> asked =
        random.nextBoolean()
            ? lock.async().tryAcquire(most)
            : lock.async().acquire().thenApply(Optional::of);
    CompletableFuture<Lease> other = lock.async().acquire();
    simulation.asked(asked);
    simulation.asked(other);
    simulation.park(Duration.ofMillis(random.nextInt(60)));
    CompletableFuture<Void> released =
        asked.thenCompose(got ->
            got.map(Lease::releaseAsync).orElseGet(() -> CompletableFuture.completedFuture(null)));
    simulation.park(Duration.ofMillis(random.nextInt(60)));
    boolean withdrawn =
        switch (random.nextInt(3)) {
          case 0 -> other.cancel(true);
          case 1 -> other.completeExceptionally(new TimeoutException("of the application"));
          default -> other.complete(null);
        };
    if (!withdrawn && !other.isCompletedExceptionally()) {
      giveBackTwice(other.join());
    }
    simulation.asked(released);
  }

  private static void giveBackTwice(Lease lease) {
    CompletableFuture<Void> unused = lease.releaseAsync();
    lease.close();
    if (lease.isValid()) {
      throw new AssertionError(lease + " is valid after its release");
    }
  }

  private boolean acquire() throws InterruptedException {
    int way = random.nextInt(10);
    doing = "acquires in way " + way;
    waitsSince = simulation.now();
    waits = way < 7;
    try {
      switch (way) {
        case 0, 1, 2, 3 -> lock.lock();
        case 4 -> lock.lockInterruptibly();
        case 5, 6 -> lock.lock(100 + random.nextInt(2_900), TimeUnit.MILLISECONDS);
        case 7 -> {
          return simulation.tryLock(lock, 0);
        }
        case 8 -> {
          return simulation.tryLock(lock.withLease(RedSimulation.LEASE), random.nextInt(3_000));
        }
        default -> {
          return simulation.tryLock(lock, random.nextInt(3_000));
        }
      }
      return true;
    } finally {
      waits = false;
    }
  }

  private boolean stayInside() {
    RedSimulation.Stay stay = simulation.enter(this, lock);
    int levels = 1;
    boolean dies = false;
    try {
      doing = "holds the lock";
      if (random.nextInt(8) == 0 && stay.isValid() && lock.tryLock()) {
        levels++; // or a new hold, if the first was lost just now
      }
      simulation.park(Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 5_000 : 20)));
      dies = random.nextInt(25) == 0;
      return dies;
    } finally {
      doing = dies ? "dies" : "unlocks";
      if (dies) {
        simulation.dies(stay);
      } else {
        simulation.leave(stay);
        leave(levels);
      }
    }
  }

  private void leave(int levels) {
    for (int level = levels; level > 0; level--) {
      simulation.unlock(lock, waitsSince);
    }
  }

  @Override
  public String toString() {
    return getName() + ' ' + doing + ", blocked by " + LockSupport.getBlocker(this);
  }
}
