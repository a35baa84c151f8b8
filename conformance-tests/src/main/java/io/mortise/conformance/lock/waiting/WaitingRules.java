package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiting for a lock: wake-ups and deadlines. {@link WayInRules} has the interrupts. */
public abstract class WaitingRules extends LockRules {
  /** The longest time that a test waits. The lease of 30 s is longer. */
  private static final Duration SECONDS = Duration.ofSeconds(10);

  protected WaitingRules(LockKit kit) {
    super(kit);
  }

  private static Contender.Way locking(DistributedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  private static Contender.Way interruptibly(DistributedLock lock) {
    return () -> {
      lock.lockInterruptibly();
      return true;
    };
  }

  @Test
  @Rule("L10")
  void aReleaseWakesAWaiterOfAnotherService() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender waiter = contender(locking(theirs));
    awaitQueued(1);
    assertFalse(waiter.isInside());

    mine.unlock();

    // With moved time no time passes here. Only the message can have woken the waiter.
    assertTrue(waiter.result());
    assertFalse(mine.tryLock());
    waiter.leave(theirs::unlock);
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @Test
  @Rule("L10")
  void everyWaiterOfSeveralServicesGetsTheLock() {
    DistributedLock first = lock();
    first.lock();
    List<DistributedLock> locks = List.of(lock(), lock(), lock());
    List<Contender> waiters = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      DistributedLock lock = locks.get(i % locks.size());
      waiters.add(
          contender(() -> {
            lock.lock();
            lock.unlock();
            return true;
          }));
    }

    first.unlock();

    for (Contender waiter : waiters) {
      assertTrue(waiter.result());
    }
    assertFalse(first.isLocked());
  }

  @Test
  @Rule("L5")
  void aTimedAttemptEndsWhenItsTimeIsOver() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender waiter = contender(() -> theirs.tryLock(3, TimeUnit.SECONDS));

    passTime(SECOND);
    assertTrue(waiter.thread().isAlive(), "a third of the time has passed");
    passTimeUntil("the attempt ends", SECONDS, () -> !waiter.thread().isAlive());

    assertFalse(waiter.result());
    awaitQueued(0);
    mine.unlock();
    assertTrue(mine.tryLock(), "no thread waits any more");
    mine.unlock();
  }

  @Test
  @Rule({"L4", "L11"})
  void aThreadThatGivesUpLeavesItsProcessItsPlace() {
    DistributedLock mine = lock();
    mine.lock();
    DistributedLock theirs = lock();
    Contender first = contender(interruptibly(theirs));
    awaitQueued(1);
    Contender second = contender(locking(theirs));
    DistributedLock third = lock();
    Contender last = contender(locking(third));
    awaitQueued(2);

    first.interrupt();
    assertInstanceOf(InterruptedException.class, first.failure());
    mine.unlock();

    assertTrue(second.result(), "the second thread has the place of the one that gave up");
    assertFalse(last.isInside());
    second.leave(theirs::unlock);
    assertTrue(last.result());
    last.leave(third::unlock);
  }

  @Test
  @Rule("L10")
  void aForcedUnlockGrantsTheLockToTheNextWaiter() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender waiter = contender(locking(theirs));

    assertTrue(lock().forceUnlock());

    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule("W19")
  void aDeletedKeyCostsWaitersSecondsAndNotTheLease() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    mine.lock();
    Contender waiter = contender(locking(theirs));

    deleteKey();
    passTimeUntil("the waiter holds the lock", SECONDS, waiter::isInside);

    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule("L12")
  void threadsOfOneServiceDoNotKeepAnotherServiceOut() {
    LockService busy = service();
    DistributedLock theirs = lock();
    DistributedLock mine = busy.getLock(name);
    boolean[] stop = new boolean[1];
    List<Contender> crowd = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Duration pause = Duration.ofMillis(i == 0 ? 10 : 0); // so that time passes
      crowd.add(Contender.startBusy(() -> lockUntil(mine, stop, pause)));
    }

    Contender other = contender(locking(theirs));
    assertTrue(other.result(), "the other thread got the lock while the crowd went on");
    other.leave(theirs::unlock);

    synchronized (stop) {
      stop[0] = true;
    }
    for (Contender each : crowd) {
      assertTrue(each.result());
      each.leave(() -> {});
    }
  }

  private boolean lockUntil(DistributedLock lock, boolean[] stop, Duration pause) {
    while (true) {
      lock.lock();
      lock.unlock();
      passTime(pause);
      synchronized (stop) {
        if (stop[0]) {
          return true;
        }
      }
    }
  }
}
