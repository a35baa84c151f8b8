package io.mortise.conformance.lock.waiting;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.WayIn;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Interrupts and limits of time, in each way into each kind of lock. */
public abstract class WayInRules extends LockRules {
  private static final Duration WAIT = Duration.ofMillis(100);
  private static final Duration FOR_EVER = Duration.ofDays(300_000);

  protected WayInRules(LockKit kit) {
    super(kit);
  }

  /** One party's lock in the way that a row tests, and another party's that excludes it. */
  private final class Row {
    final WayIn way;
    final LeasedLock mine;
    final LeasedLock theirs;
    final TimeSource time;
    private final AtomicReference<Runnable> out = new AtomicReference<>(() -> {});

    Row(AnyLock kind, WayIn way, LockService one, LockService other, TimeSource time) {
      this.way = way;
      this.time = time;
      String lock = name + '-' + kind + '-' + way;
      mine = kind.of(one, lock);
      // Readers exclude no reader.
      theirs = (kind == AnyLock.READ ? AnyLock.WRITE : kind).of(other, lock);
    }

    boolean enter(Duration longest) throws InterruptedException {
      Optional<Runnable> found = way.into(mine, longest);
      found.ifPresent(out::set);
      return found.isPresent();
    }

    void leave() {
      out.get().run();
    }

    void assertFree() {
      Await.until("no hold and no grant is left", theirs::tryLock);
      theirs.unlock();
    }
  }

  private interface Check {
    void of(Row row) throws Exception;
  }

  /** A row for each kind and each of these ways. All share two services. */
  private Stream<DynamicTest> each(Predicate<WayIn> ways, Check check) {
    LockBackend backend = ofOneServer();
    LockService one = service(backend, builder -> builder);
    LockService other = service(ofOneServer(), builder -> builder);
    return Stream.of(AnyLock.values())
        .flatMap(kind ->
            Stream.of(WayIn.values())
                .filter(ways)
                .map(way ->
                    dynamicTest(
                        kind + " " + way,
                        () -> check.of(new Row(kind, way, one, other, backend.time())))));
  }

  @TestFactory
  @Rule("L4")
  Stream<DynamicTest> anInterruptEndsAWait() {
    return each(
        WayIn::isInterruptible,
        row -> {
          row.theirs.lock();
          Contender waiter = contender(() -> row.enter(FOR_EVER));

          waiter.interrupt();

          assertInstanceOf(InterruptedException.class, waiter.failure());
          row.theirs.unlock();
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L4")
  Stream<DynamicTest> lockWaitsOnThroughInterruptsAndGivesTheFlagBack() {
    return each(
        way -> !way.isInterruptible(),
        row -> {
          row.theirs.lock();
          Contender waiter = contender(() -> row.enter(FOR_EVER));

          waiter.interrupt();
          waiter.interrupt();
          passTime(Duration.ofMillis(200));
          assertTrue(waiter.thread().isAlive());
          assertFalse(waiter.isInside());
          row.theirs.unlock();

          assertTrue(waiter.result());
          assertTrue(waiter.wasInterruptedAfter());
          waiter.leave(row::leave);
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L4")
  Stream<DynamicTest> anInterruptBeforehandIsNoticedEvenIfTheLockIsFree() {
    return each(
        WayIn::isInterruptible,
        row -> {
          Thread.currentThread().interrupt();
          assertThrows(InterruptedException.class, () -> row.enter(FOR_EVER));

          assertFalse(Thread.currentThread().isInterrupted(), "the exception took the flag");
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L4")
  Stream<DynamicTest> lockAndUnlockWorkWithTheInterruptFlagSet() {
    return each(
        way -> !way.isInterruptible(),
        row -> {
          Thread.currentThread().interrupt();
          assertTrue(row.enter(FOR_EVER));
          assertTrue(Thread.currentThread().isInterrupted());
          row.leave();

          assertTrue(Thread.interrupted());
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L5")
  Stream<DynamicTest> aTimedWaitLastsAsLongAsItWasTold() {
    return each(
        WayIn::isTimed,
        row -> {
          row.theirs.lock();
          AtomicReference<Duration> waited = new AtomicReference<>(Duration.ZERO);
          Contender waiter =
              contender(() -> {
                long start = row.time.nanoTime();
                boolean entered = row.enter(WAIT);
                waited.set(Duration.ofNanos(row.time.nanoTime() - start));
                return entered;
              });

          passTimeUntil("it ends", WAIT.multipliedBy(10), () -> !waiter.thread().isAlive());

          assertFalse(waiter.result());
          assertTrue(waited.get().compareTo(WAIT) >= 0, () -> "waited " + waited);
          row.theirs.unlock();
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L5")
  Stream<DynamicTest> aTimedWaitGetsTheLockThatIsReleasedInTime() {
    return each(
        WayIn::isTimed,
        row -> {
          row.theirs.lock();
          Contender waiter = contender(() -> row.enter(FOR_EVER));

          row.theirs.unlock();

          assertTrue(waiter.result());
          waiter.leave(row::leave);
          row.assertFree();
        });
  }

  @TestFactory
  @Rule("L5")
  Stream<DynamicTest> anAttemptWithoutTimeDoesNotWait() {
    return each(
        WayIn::isTimed,
        row -> {
          row.theirs.lock();
          Contender other =
              contender(() -> row.enter(Duration.ZERO) || row.enter(Duration.ofSeconds(-1)));
          assertFalse(other.result());
          row.theirs.unlock();
          assertTrue(row.enter(Duration.ZERO));
          row.leave();
          row.assertFree();
        });
  }
}
