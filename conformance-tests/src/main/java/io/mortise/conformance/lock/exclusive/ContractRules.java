package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.SpyBackend;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What {@link Lock} asks of any lock. The same tests run on the JDK's own lock, so a test that asks
 * for something else fails there.
 */
public abstract class ContractRules extends LockRules {
  /** The locks under test. */
  enum Kind {
    MORTISE,
    JDK
  }

  protected ContractRules(LockKit kit) {
    super(kit);
  }

  /** One lock, as several parties have it. With Mortise each has a service of its own. */
  private Supplier<Lock> parties(Kind kind) {
    Lock local = new ReentrantLock();
    return kind == Kind.JDK ? () -> local : this::lock;
  }

  private LongSupplier clock(Kind kind) {
    return kind == Kind.JDK ? System::nanoTime : backend().time()::nanoTime;
  }

  private static void enterAndLeave(Contender contender, Lock lock) {
    assertTrue(contender.result());
    contender.leave(lock::unlock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L3")
  void anUnlockTooManyThrowsAndTouchesNobody(Kind kind) {
    Supplier<Lock> parties = parties(kind);
    Lock mine = parties.get();
    Lock theirs = parties.get();
    mine.lock();
    mine.unlock();
    assertThrows(IllegalMonitorStateException.class, mine::unlock);
    Contender other = contender(theirs::tryLock);
    assertTrue(other.result(), "the lock is free");

    assertThrows(IllegalMonitorStateException.class, mine::unlock);

    assertFalse(mine.tryLock(), "the other thread still holds the lock");
    other.leave(theirs::unlock);
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L5")
  void aTimedAttemptOnAHeldLockTakesItsTimeAndNotMuchMore(Kind kind) {
    Supplier<Lock> parties = parties(kind);
    LongSupplier clock = clock(kind);
    Lock mine = parties.get();
    Lock theirs = parties.get();
    long[] took = new long[1];
    mine.lock();
    Contender attempt =
        contender(() -> {
          long start = clock.getAsLong();
          boolean had = theirs.tryLock(400, TimeUnit.MILLISECONDS);
          took[0] = clock.getAsLong() - start;
          return had;
        });

    passTimeUntil("the attempt ends", SECOND.multipliedBy(5), () -> !attempt.thread().isAlive());

    assertFalse(attempt.result());
    assertTrue(took[0] >= 400_000_000, "it gave up after " + Duration.ofNanos(took[0]));
    assertTrue(took[0] < 4_000_000_000L, "it took " + Duration.ofNanos(took[0]));
    mine.unlock();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L4", "W1"})
  void twoHundredInterruptsAtAnyMomentLeaveNothingHeld(Kind kind) {
    Supplier<Lock> parties = parties(kind);
    Lock mine = parties.get();
    Lock theirs = parties.get();
    for (int i = 0; i < 200; i++) {
      boolean contended = i % 2 == 0;
      if (contended) {
        mine.lock();
      }
      Contender other = Contender.startBusy(() -> lockBriefly(theirs));
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(500_000));
      other.interrupt();
      if (contended) {
        assertInstanceOf(InterruptedException.class, other.failure());
        mine.unlock();
      }
      Throwable ended = other.ended();
      assertTrue(ended == null || ended instanceof InterruptedException, () -> "ended by " + ended);
    }

    Contender last = contender(() -> theirs.tryLock(1, TimeUnit.HOURS));
    enterAndLeave(last, theirs); // no time passes, so no lease can end
  }

  /** Always false, so that the contender does not stay. */
  private static boolean lockBriefly(Lock lock) throws InterruptedException {
    lock.lockInterruptibly();
    lock.unlock();
    return false;
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, PLATFORM", "MORTISE, VIRTUAL", "JDK, PLATFORM", "JDK, VIRTUAL"})
  @Rule("L4")
  void anInterruptedThreadLocksAndUnlocksAndKeepsItsFlag(Kind kind, ThreadKind threads)
      throws InterruptedException {
    Supplier<Lock> parties = parties(kind);
    Lock mine = parties.get();
    Lock theirs = parties.get();
    mine.lock();

    Crew crew =
        Crew.start(
            threads,
            4,
            number -> {
              Thread.currentThread().interrupt();
              theirs.lock();
              assertTrue(Thread.currentThread().isInterrupted(), "after lock");
              theirs.unlock();
              assertTrue(Thread.currentThread().isInterrupted(), "after unlock");
              if (theirs.tryLock()) {
                theirs.unlock();
              }
              assertTrue(Thread.interrupted(), "after tryLock");
              lockBriefly(theirs);
            });
    passTime(Duration.ofMillis(50));
    mine.unlock();
    crew.join(Duration.ofSeconds(15));

    // A grant to the thread that gave up may still be on its way back.
    Contender last = contender(() -> mine.tryLock(1, TimeUnit.HOURS));
    enterAndLeave(last, mine);
  }

  @ParameterizedTest
  @CsvSource({"MORTISE, VIRTUAL", "JDK, VIRTUAL"})
  @Rule("L4")
  void aWaitingVirtualThreadIsInterrupted(Kind kind, ThreadKind threads)
      throws InterruptedException {
    Supplier<Lock> parties = parties(kind);
    Lock mine = parties.get();
    Lock theirs = parties.get();
    mine.lock();
    Crew crew =
        Crew.start(
            threads,
            1,
            number -> assertThrows(InterruptedException.class, theirs::lockInterruptibly));
    // the thread may wait by now or not: the test must pass in both cases
    LockSupport.parkNanos(20_000_000);

    crew.first().interrupt();
    crew.join(Duration.ofSeconds(15));

    mine.unlock();
    // A grant to the thread that gave up may still be on its way back.
    Contender last = contender(() -> mine.tryLock(1, TimeUnit.HOURS));
    enterAndLeave(last, mine);
  }

  @Test
  @Rule("L10")
  void aWaiterForShortLeasesDoesNotSpin() throws InterruptedException {
    SpyBackend spy = new SpyBackend(backend());
    DistributedLock mine = lockWithLease(SECOND.multipliedBy(3));
    DistributedLock theirs = service(spy, builder -> builder).getLock(name);
    mine.lock();
    Contender waiter = contender(() -> theirs.tryLock(1, TimeUnit.HOURS));
    spy.forget();

    passTime(SECOND.multipliedBy(2));
    passTimeUntil("the waiter asks", SECOND.multipliedBy(10), () -> !spy.sent("acquire").isEmpty());

    int asked = spy.sent("acquire").size();
    assertTrue(asked <= 8, () -> "in some seconds the waiter asked " + asked + " times");
    mine.ensureHeld();
    mine.unlock();
    enterAndLeave(waiter, theirs);
    assertEquals(0, theirs.getHoldCount());
  }
}
