package io.mortise.backend.inmemory;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.DistributedSemaphore;
import io.mortise.FencedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.MultiLock;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The actions of a simulated thread beyond the plain and the fair lock: read/write lock, permits,
 * fencing tokens, leases, and several locks as one.
 */
final class SimulatedKinds {
  static final String READ_WRITE = "simulated-rw";
  static final String SEMAPHORE = "simulated-permits";
  static final String FENCED = "simulated-fenced";
  static final String LEASED = "simulated-leased";
  static final String ONE = "simulated-one";
  static final String OTHER = "simulated-other";
  static final int PERMITS = 3;
  private static final int READERS = 100;

  /** In a rush readers come at a multiple of this time (ms), so that some of them share a hold. */
  private static final int BEAT = 50;

  private final Simulation simulation;
  private final SimulatedThread thread;
  private final Random random;

  SimulatedKinds(Simulation simulation, SimulatedThread thread, Random random) {
    this.simulation = simulation;
    this.thread = thread;
    this.random = random;
  }

  /** Uses one of the locks. Returns whether it held the lock. */
  boolean visit(LockService service) throws InterruptedException {
    return switch (isRush() ? 0 : random.nextInt(5)) {
      case 0 -> readOrWrite(service.getReadWriteLock(READ_WRITE));
      case 1 -> permits(service.getSemaphore(SEMAPHORE));
      case 2 -> fenced(service.getFencedLock(FENCED));
      case 3 -> leased(service.getLock(LEASED));
      default -> several(service);
    };
  }

  /** In one second of five all threads want the same lock. */
  boolean isRush() {
    return simulation.now() / 1_000_000_000 % 5 == 0;
  }

  private Duration wait(int most) {
    return Duration.ofMillis(random.nextInt(most));
  }

  private boolean readOrWrite(DistributedReadWriteLock lock) throws InterruptedException {
    boolean reads = random.nextInt(3) > 0;
    if (reads && isRush()) {
      thread.pass(BEAT - (int) (simulation.now() / 1_000_000 % BEAT));
    }
    DistributedLock side = reads ? lock.readLock() : lock.writeLock();
    long since = simulation.now();
    if (!locked(side)) {
      return false;
    }
    stay(READ_WRITE, since, reads ? 1 : READERS, READERS, side);
    boolean other = random.nextInt(3) == 0 && side.isHeldByCurrentThread();
    if (other && reads) {
      upgrade(lock);
    } else if (other) {
      downgrade(lock, since);
    } else {
      unlock(side);
    }
    return true;
  }

  private void upgrade(DistributedReadWriteLock lock) {
    long since = simulation.now();
    try {
      if (lock.tryUpgrade()) {
        stay(READ_WRITE, since, READERS, READERS, lock.writeLock());
        unlock(lock.writeLock());
      }
    } catch (LeaseLostException e) {
      // Lost by a fault, or an instant before.
    } finally {
      unlock(lock.readLock());
    }
  }

  /** It locks for reading before it unlocks for writing, so no writer comes in between. */
  private void downgrade(DistributedReadWriteLock lock, long since) {
    DistributedLock read = lock.readLock();
    try {
      read.lock();
    } finally {
      unlock(lock.writeLock());
    }
    stay(READ_WRITE, since, 1, READERS, read);
    unlock(read);
  }

  private boolean permits(DistributedSemaphore semaphore) throws InterruptedException {
    int wanted = 1 + random.nextInt(2);
    for (int i = random.nextInt(3); i > 0; i--) {
      crowd(semaphore, wanted);
    }
    long since = simulation.now();
    Lease lease =
        switch (random.nextInt(4)) {
          case 0 -> semaphore.tryAcquire(wanted).orElse(null);
          case 1 ->
              semaphore
                  .withLease(Duration.ofMillis(50 + random.nextInt(2_000)))
                  .tryAcquire(wanted, wait(3_000))
                  .orElse(null);
          case 2 -> semaphore.acquire(wanted);
          default -> semaphore.tryAcquire(wanted, wait(3_000)).orElse(null);
        };
    if (lease != null && wanted > 1 && random.nextBoolean()) {
      stay(SEMAPHORE, since, wanted, PERMITS, lease::isValid);
      giveOneBack(lease);
      wanted--;
    }
    return stay(SEMAPHORE, since, wanted, PERMITS, lease);
  }

  /** One more request, so that permits are handed off. It gives them back at once. */
  private static void crowd(DistributedSemaphore semaphore, int wanted) {
    CompletableFuture<Void> unused =
        semaphore.async(wanted).acquire().thenCompose(Lease::releaseAsync);
  }

  private void giveOneBack(Lease lease) {
    if (random.nextBoolean()) {
      CompletableFuture<Void> unused = lease.releaseAsync(1);
      return;
    }
    try {
      lease.release(1);
    } catch (LeaseLostException e) {
      // Lost by a fault.
    }
  }

  /** Leases beside threads. One more request gives its lease back at once. */
  private boolean leased(DistributedLock lock) throws InterruptedException {
    long since = simulation.now();
    if (random.nextInt(3) == 0) {
      boolean holds = locked(lock);
      if (holds) {
        stay(LEASED, since, 1, 1, lock);
        unlock(lock);
      }
      return holds;
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      CompletableFuture<Void> unused = lock.async().acquire().thenCompose(Lease::releaseAsync);
    }
    return stay(LEASED, since, 1, 1, lease(lock));
  }

  private boolean fenced(FencedLock lock) throws InterruptedException {
    long since = simulation.now();
    if (random.nextInt(3) == 0) {
      return stay(FENCED, since, 1, 1, lease(lock));
    }
    if (!locked(lock)) {
      return false;
    }
    try {
      simulation.token(lock.fencingToken(), since, valid(lock));
    } catch (LeaseLostException e) {
      // The lease has ended already.
    }
    stay(FENCED, since, 1, 1, lock);
    unlock(lock);
    return true;
  }

  private boolean several(LockService service) throws InterruptedException {
    DistributedLock one = service.getLock(ONE);
    DistributedLock other = service.getFairLock(OTHER);
    LeasedLock both = random.nextBoolean() ? MultiLock.of(one, other) : MultiLock.of(other, one);
    long since = simulation.now();
    if (random.nextInt(4) == 0) {
      return stay(ONE, since, 1, 1, lease(both));
    }
    if (!locked(both)) {
      return false;
    }
    stay(ONE, since, 1, 1, both);
    unlock(both);
    return true;
  }

  private @Nullable Lease lease(LeasedLock lock) throws InterruptedException {
    return random.nextBoolean() ? lock.acquire() : lock.tryAcquire(wait(3_000)).orElse(null);
  }

  private boolean locked(LeasedLock lock) throws InterruptedException {
    switch (random.nextInt(6)) {
      case 0, 1 -> lock.lock();
      case 2 -> lock.lockInterruptibly();
      case 3 -> {
        return lock.tryLock();
      }
      case 4 -> {
        return lock.withLease(Duration.ofMillis(50 + random.nextInt(2_000)))
            .tryLock(random.nextInt(3_000), TimeUnit.MILLISECONDS);
      }
      default -> {
        return lock.tryLock(random.nextInt(3_000), TimeUnit.MILLISECONDS);
      }
    }
    return true;
  }

  private boolean stay(String name, long since, int share, int places, @Nullable Lease lease) {
    if (lease == null) {
      return false;
    }
    stay(name, since, share, places, lease::isValid);
    if (random.nextBoolean()) {
      CompletableFuture<Void> unused = lease.releaseAsync();
    } else {
      try {
        lease.close();
      } catch (LeaseLostException e) {
        // Lost by a fault.
      }
    }
    return true;
  }

  private BooleanSupplier valid(LeasedLock lock) {
    long own = thread.getId();
    return () -> lock.isHeldByThread(own);
  }

  private void stay(String name, long since, int share, int places, LeasedLock lock) {
    Simulation.Visit visit = new Simulation.Visit(thread, name, since, share, places, valid(lock));
    simulation.enter(visit);
    thread.mayDie(); // then it is inside until its lease is lost
    simulation.leave(visit);
    stay(name, since, share, places, visit.valid());
  }

  private void stay(String name, long since, int share, int places, BooleanSupplier valid) {
    Simulation.Visit visit = new Simulation.Visit(thread, name, since, share, places, valid);
    simulation.enter(visit);
    try {
      thread.pass(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 8));
    } finally {
      simulation.leave(visit);
    }
  }

  private static void unlock(Lock lock) {
    try {
      lock.unlock();
    } catch (LeaseLostException e) {
      // Lost by a fault.
    }
  }
}
