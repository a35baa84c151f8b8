package io.mortise.backend.inmemory;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread of a simulated process. It locks, holds and unlocks in many ways, or dies. */
final class SimulatedThread extends Thread {
  /** The thread ends while it holds a lock. */
  static final class Dies extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final Simulation simulation;
  private final SimulatedProcess process;
  private final Random random;
  private volatile String doing = "begins";
  private volatile boolean idle;
  private volatile boolean free;
  private final SimulatedKinds kinds;
  private final SimulatedExtras extras;
  private int entered;

  SimulatedThread(Simulation simulation, SimulatedProcess process, String name, long seed) {
    super(name);
    this.simulation = simulation;
    this.process = process;
    random = new Random(seed);
    kinds = new SimulatedKinds(simulation, this, random);
    extras = new SimulatedExtras(simulation, this, process, random);
    setDaemon(true);
  }

  /** Whether it has finished. */
  boolean isIdle() {
    return idle;
  }

  int entered() {
    return entered;
  }

  @Override
  public void run() {
    try {
      while (simulation.goesOn()) {
        free = false;
        visit();
        free = true;
        pass(random.nextInt(40));
      }
      doing = "is done";
    } catch (Dies e) {
      doing = "is dead";
      simulation.replace(this, new SimulatedThread(simulation, process, getName() + "'", seed()));
    } catch (Throwable e) {
      simulation.failed(this + " failed", e);
    } finally {
      idle = true;
    }
  }

  private long seed() {
    return random.nextLong();
  }

  void mayDie() {
    if (random.nextInt(120) == 0 && simulation.goesOn()) {
      throw new Dies();
    }
  }

  /** An operator interrupts it. */
  void disturb() {
    super.interrupt();
  }

  /** A service leaves a thread alone that holds nothing and knows it. */
  @Override
  public void interrupt() {
    if (free && !Thread.currentThread().equals(this)) {
      simulation.failed(this + " is interrupted though it holds nothing", null);
    }
    super.interrupt();
  }

  private void visit() {
    int which = random.nextInt(Simulation.LOCKS);
    try {
      LockService service = process.service();
      if (random.nextInt(3) == 0) {
        doing = "does something rare";
        entered += extras.visit(service) ? 1 : 0;
        return;
      }
      if (random.nextBoolean() || kinds.isRush()) {
        doing = "uses another kind";
        entered += kinds.visit(service) ? 1 : 0;
        return;
      }
      String name = Simulation.name(which);
      boolean fair = random.nextInt(3) == 0;
      DistributedLock lock = fair ? service.getFairLock(name) : service.getLock(name);
      if (acquire(lock, fair)) {
        entered++;
        stayInside(lock, process.link().idOf(service, name, fair));
      }
    } catch (InterruptedException
        | LockException
        | LockServiceClosedException
        | LeaseLostException e) {
      // Interrupted, or no answer from the store, or the service was closed, or lost by a fault.
    } finally {
      boolean cleared = Thread.interrupted();
      doing = cleared ? "was interrupted" : "holds nothing";
    }
  }

  private boolean acquire(DistributedLock lock, boolean fair) throws InterruptedException {
    int way = random.nextInt(fair ? 9 : 11);
    Duration wait = Duration.ofMillis(random.nextInt(3_000));
    doing = "acquires in way " + way + ' ' + lock;
    switch (way) {
      case 0, 1, 2, 3 -> lock.lock();
      case 4 -> lock.lockInterruptibly();
      case 9 -> lock.withLease(Duration.ofMillis(50 + random.nextInt(1_000))).lock();
      case 6 -> {
        return lock.tryLock();
      }
      case 10 -> {
        return lock.withLease(Duration.ofMillis(50 + random.nextInt(5_000))).tryLock(wait);
      }
      default -> {
        return lock.tryLock(wait);
      }
    }
    return true;
  }

  private void stayInside(DistributedLock lock, @Nullable String id) {
    Simulation.Stay stay = simulation.enter(this, lock, id);
    mayDie();
    try {
      doing = "holds " + lock;
      boolean again = random.nextInt(8) == 0 && stay.isValid() && lock.tryLock();
      pass(random.nextInt(random.nextInt(10) == 0 ? 4_000 : 8));
      if (again) {
        unlock(lock);
      }
    } finally {
      simulation.leave(stay);
      doing = "unlocks " + lock;
      unlock(lock);
    }
  }

  private static void unlock(DistributedLock lock) {
    try {
      lock.unlock();
    } catch (LeaseLostException e) {
      // Lost by a fault; every unlock reports that.
    }
  }

  void pass(int millis) {
    process.parkNanos(process, Duration.ofMillis(millis).toNanos());
  }

  @Override
  public String toString() {
    Object blocker = LockSupport.getBlocker(this);
    return getName() + ' ' + doing + ", blocked by " + blocker;
  }
}
