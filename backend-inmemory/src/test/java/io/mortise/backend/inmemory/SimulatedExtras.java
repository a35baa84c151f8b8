package io.mortise.backend.inmemory;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated thread does more rarely: it leaves a lock later, makes a lease longer, gives a
 * future up, waits for a signal, and takes many locks as one.
 */
final class SimulatedExtras {
  private static final String CONDITIONED = "simulated-conditioned";
  private static final String MANY = "simulated-many-";
  private static final int NAMES = 6;

  private final Simulation simulation;
  private final SimulatedThread thread;
  private final SimulatedProcess process;
  private final Random random;

  SimulatedExtras(
      Simulation simulation, SimulatedThread thread, SimulatedProcess process, Random random) {
    this.simulation = simulation;
    this.thread = thread;
    this.process = process;
    this.random = random;
  }

  /** Uses one of the locks. Returns whether it held the lock. */
  boolean visit(LockService service) throws InterruptedException {
    return switch (random.nextInt(6)) {
      case 0 -> unlocksLater(one(service));
      case 1 -> closesLater(one(service));
      case 2 -> extendsLease(one(service));
      case 3 -> givesFuturesUp(service);
      case 4 -> awaitsSignal(service.getLock(CONDITIONED));
      default -> many(service);
    };
  }

  private Duration upTo(int millis) {
    return Duration.ofMillis(random.nextInt(millis));
  }

  /** A lock that is used in other ways too. */
  private LeasedLock one(LockService service) {
    DistributedLock plain = service.getLock(SimulatedKinds.LEASED);
    Duration some = Duration.ofMillis(10 + random.nextInt(4_000));
    return switch (random.nextInt(5)) {
      case 0 -> service.getFencedLock(SimulatedKinds.FENCED);
      case 1 -> service.getFairLock(SimulatedKinds.LEASED);
      case 2 -> plain.withMaxHold(some);
      case 3 -> plain.withLease(some);
      default -> plain;
    };
  }

  private boolean locked(LeasedLock lock) throws InterruptedException {
    switch (random.nextInt(4)) {
      case 0 -> lock.lock();
      case 1 -> lock.lockInterruptibly();
      case 2 -> {
        return lock.tryLock();
      }
      default -> {
        return lock.tryLock(upTo(3_000));
      }
    }
    return true;
  }

  private BooleanSupplier valid(LeasedLock lock) {
    long own = thread.getId();
    return () -> lock.isHeldByThread(own);
  }

  private @Nullable Lease lease(LeasedLock lock) throws InterruptedException {
    return random.nextBoolean() ? lock.acquire() : lock.tryAcquire(upTo(3_000)).orElse(null);
  }

  private boolean stay(String name, long since, BooleanSupplier valid) {
    Simulation.Visit visit = new Simulation.Visit(thread, name, since, 1, 1, valid);
    simulation.enter(visit);
    try {
      thread.pass(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 8));
    } finally {
      simulation.leave(visit);
    }
    return true;
  }

  // A lock that is left later

  private boolean unlocksLater(LeasedLock lock) throws InterruptedException {
    long since = simulation.now();
    if (!locked(lock)) {
      return false;
    }
    stay(lock.name(), since, valid(lock));
    leaves(lock.name(), since, lock::unlockAfter);
    return true;
  }

  private boolean closesLater(LeasedLock lock) throws InterruptedException {
    long since = simulation.now();
    Lease lease = lease(lock);
    if (lease != null) {
      stay(lock.name(), since, lease::isValid);
      leaves(lock.name(), since, lease::closeAfter);
    }
    return lease != null;
  }

  private interface Leaving {
    void after(Duration rest);
  }

  /** Nobody has the lock in that time, unless the link failed and the command is late. */
  private void leaves(String name, long since, Leaving leaving) {
    Duration rest = upTo(2_000);
    long end = simulation.now() + rest.toNanos();
    boolean fails = process.link().isFailing() || process.isPaused();
    try {
      leaving.after(rest);
    } catch (LeaseLostException e) {
      return;
    }
    if (!fails && !process.link().isFailing()) {
      simulation.rests(name, since, end);
    }
  }

  // Leases

  private boolean extendsLease(LeasedLock lock) throws InterruptedException {
    long since = simulation.now();
    Lease lease = lease(lock);
    if (lease == null) {
      return false;
    }
    CompletableFuture<Boolean> unused =
        lease.extendAsync(Duration.ofMillis(10 + random.nextInt(6_000)));
    stay(lock.name(), since, lease::isValid);
    releaseTwice(lease);
    return true;
  }

  private void releaseTwice(Lease lease) {
    if (random.nextBoolean()) {
      CompletableFuture<Void> unused = lease.releaseAsync();
    }
    try {
      lease.close();
      lease.close();
    } catch (LeaseLostException e) {
      // Lost by a fault.
    }
    if (lease.isValid()) {
      simulation.failed(lease + " is valid after its release", null);
    }
  }

  private AsyncLock async(LockService service) {
    return switch (random.nextInt(4)) {
      case 0 -> service.getSemaphore(SimulatedKinds.SEMAPHORE).async(1 + random.nextInt(3));
      case 1 -> service.getReadWriteLock(SimulatedKinds.READ_WRITE).readLock().async();
      case 2 ->
          MultiLock.of(
                  service.getLock(SimulatedKinds.ONE), service.getFairLock(SimulatedKinds.OTHER))
              .async();
      default -> one(service).async();
    };
  }

  /** Futures that somebody else completes leave nothing held. */
  private boolean givesFuturesUp(LockService service) {
    List<CompletableFuture<Optional<Lease>>> asked = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      AsyncLock async = async(service);
      asked.add(async.tryAcquire(upTo(random.nextBoolean() ? 1 : 2_000)));
      simulation.asked(async.withLease(lease -> work(lease)));
    }
    asked.forEach(simulation::asked);
    thread.pass(random.nextInt(random.nextInt(4) == 0 ? 2_500 : 20));
    for (CompletableFuture<Optional<Lease>> each : asked) {
      boolean givenUp =
          switch (random.nextInt(3)) {
            case 0 -> each.cancel(true);
            case 1 -> each.completeExceptionally(new TimeoutException("of the application"));
            default -> each.complete(Optional.empty());
          };
      if (!givenUp && !each.isCompletedExceptionally()) {
        each.join().ifPresent(this::releaseTwice);
      }
    }
    return false;
  }

  private static CompletableFuture<Integer> work(Lease lease) {
    return switch (lease.hashCode() % 3) {
      case 0 -> throw new StackOverflowError("by work, on purpose");
      case 1 -> CompletableFuture.failedFuture(new IllegalStateException("by work, on purpose"));
      default -> CompletableFuture.completedFuture(1);
    };
  }

  // Conditions

  private boolean awaitsSignal(DistributedLock lock) throws InterruptedException {
    Condition some = lock.newCondition("some");
    long since = simulation.now();
    if (!locked(lock)) {
      return false;
    }
    int levels = 1;
    try {
      stay(CONDITIONED, since, valid(lock));
      levels += random.nextBoolean() && lock.isHeldByCurrentThread() && lock.tryLock() ? 1 : 0;
      long again = simulation.now();
      switch (random.nextInt(4)) {
        case 0 -> some.signal();
        case 1 -> some.signalAll();
        default -> {
          boolean unused = some.await(random.nextInt(3_000), TimeUnit.MILLISECONDS);
          checkLevels(lock, levels);
          stay(CONDITIONED, again, valid(lock));
        }
      }
    } catch (LeaseLostException e) {
      // Lost by a fault.
    } finally {
      leave(lock, levels);
    }
    return true;
  }

  private void checkLevels(DistributedLock lock, int levels) {
    int count = lock.getHoldCount();
    if (count != levels && count != 0) {
      simulation.failed("await() returned with " + count + " levels of " + levels, null);
    }
  }

  private void leave(DistributedLock lock, int levels) {
    for (int i = 0; i < levels; i++) {
      try {
        lock.unlock();
      } catch (IllegalMonitorStateException e) {
        // Lost by a fault, or await() has failed.
      }
    }
    if (lock.isHeldByCurrentThread()) {
      simulation.failed(lock + " is held after all levels are left", null);
    }
  }

  // Many locks as one

  private boolean many(LockService service) throws InterruptedException {
    List<LeasedLock> some = new ArrayList<>();
    for (int i = 0; i < NAMES; i++) {
      if (random.nextInt(3) > 0) {
        some.add(service.getLock(MANY + i));
      }
    }
    some.add(service.getFairLock(SimulatedKinds.OTHER));
    MultiLock all = MultiLock.of(some);
    long since = simulation.now();
    if (random.nextInt(3) == 0) {
      Lease lease = lease(all);
      if (lease != null) {
        stay(some.get(0).name(), since, lease::isValid);
        releaseTwice(lease);
      }
      return lease != null;
    }
    if (!locked(all)) {
      return false;
    }
    stay(some.get(0).name(), since, valid(all));
    try {
      all.unlock();
    } catch (LeaseLostException e) {
      // Lost by a fault.
    }
    some.stream()
        .filter(LeasedLock::isHeldByCurrentThread)
        .forEach(each -> simulation.failed(each + " is held after unlock()", null));
    return true;
  }
}
