package io.mortise.conformance.lock.condition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Date;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every condition promises, of one process or shared. The JDK's condition is the reference.
 */
@SuppressWarnings({"WaitNotInLoop", "JavaUtilDate"}) // the tests check every single return
public abstract class ConditionRules extends ConditionFixture {
  /** The kinds of condition. */
  enum Of {
    THREADS,
    PROCESSES,
    JDK
  }

  protected ConditionRules(LockKit kit) {
    super(kit);
  }

  /** A lock and its condition, as one thread has them. */
  private record Pair(Lock lock, Condition condition) {}

  /** Gives each thread a handle of its own, where there is more than one. */
  private Supplier<Pair> pairs(Of of) {
    if (of == Of.PROCESSES) {
      return () -> {
        DistributedLock lock = lock();
        return new Pair(lock, lock.newCondition("ready"));
      };
    }
    Lock lock = of == Of.JDK ? new ReentrantLock() : lock();
    Pair one = new Pair(lock, lock.newCondition());
    return () -> one;
  }

  private static Contender waiting(Pair pair) {
    return waiting(
        pair.lock,
        () -> {
          pair.condition.await();
          return true;
        });
  }

  private static void signal(Pair pair, boolean all) {
    pair.lock.lock();
    try {
      if (all) {
        pair.condition.signalAll();
      } else {
        pair.condition.signal();
      }
    } finally {
      pair.lock.unlock();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("C2")
  void aSignalWakesTheOneThatHasWaitedLongestAndAnotherAllTheOthers(Of of) {
    Supplier<Pair> pairs = pairs(of);
    List<Contender> all = IntStream.range(0, 4).mapToObj(i -> waiting(pairs.get())).toList();
    Pair mine = pairs.get();
    for (int i = 0; i < 2; i++) {
      signal(mine, false);
      assertTrue(all.get(i).result());
      assertFalse(
          all.get(i + 1).isInside() || all.get(3).isInside(), "one signal woke two threads");
    }

    signal(mine, true);

    all.forEach(each -> assertTrue(each.result()));
    signal(mine, true);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"C1", "L3"})
  void everyMethodNeedsTheLock(Of of) {
    Condition condition = pairs(of).get().condition;
    List<Executable> methods =
        List.of(
            condition::await,
            condition::awaitUninterruptibly,
            () -> condition.awaitNanos(1),
            () -> condition.await(1, TimeUnit.SECONDS),
            () -> condition.awaitUntil(new Date()),
            condition::signal,
            condition::signalAll);
    methods.forEach(each -> assertThrows(IllegalMonitorStateException.class, each));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"C1", "L2"})
  void aWaiterReleasesEveryLevelAndHasThemAllAgain(Of of) {
    Supplier<Pair> pairs = pairs(of);
    Pair theirs = pairs.get();
    Contender waiter =
        Contender.start(() -> {
          for (int i = 0; i < 3; i++) {
            theirs.lock.lock();
          }
          theirs.condition.await();
          for (int i = 0; i < 3; i++) {
            theirs.lock.unlock();
          }
          assertThrows(IllegalMonitorStateException.class, theirs.lock::unlock);
          return true;
        });
    Pair mine = pairs.get();
    mine.lock.lock();
    mine.lock.lock();
    mine.condition.signal();
    mine.lock.unlock();
    assertFalse(waiter.isInside(), "the lock is held");
    mine.lock.unlock();
    assertTrue(waiter.result());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"C3", "L4"})
  void anInterruptEndsTheWaitWithTheLockHeldUnlessItMustNot(Of of) throws InterruptedException {
    Supplier<Pair> pairs = pairs(of);
    Pair mine = pairs.get();
    assertAnInterruptBeforeEndsTheWait(mine);
    Pair first = pairs.get();
    Contender waiter =
        waiting(
            first.lock,
            () -> {
              assertThrows(InterruptedException.class, first.condition::await);
              return true;
            });
    Pair second = pairs.get();
    Contender stubborn =
        waiting(
            second.lock,
            () -> {
              second.condition.awaitUninterruptibly();
              return true;
            });
    waiter.interrupt();
    stubborn.interrupt();
    assertTrue(waiter.result(), "the waiter held the lock at its unlock");
    stubborn.awaitRest();
    assertFalse(stubborn.isInside());
    signal(mine, false);
    assertTrue(stubborn.result(), "the thread that left took no signal");
    assertTrue(stubborn.wasInterruptedAfter());
  }

  private static void assertAnInterruptBeforeEndsTheWait(Pair pair) {
    Contender before =
        Contender.start(() -> {
          pair.lock.lock();
          Thread.currentThread().interrupt();
          try {
            assertThrows(InterruptedException.class, pair.condition::await);
            assertFalse(Thread.currentThread().isInterrupted());
          } finally {
            pair.lock.unlock();
          }
          return true;
        });
    assertTrue(before.result());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"C3", "L5"})
  void aWaitEndsWithItsTime(Of of) throws InterruptedException {
    Supplier<Pair> pairs = pairs(of);
    Pair mine = pairs.get();
    mine.lock.lock();
    assertFalse(mine.condition.await(-1, TimeUnit.SECONDS));
    assertTrue(mine.condition.awaitNanos(0) <= 0);
    assertFalse(mine.condition.await(Long.MIN_VALUE, TimeUnit.NANOSECONDS));
    assertFalse(mine.condition.awaitUntil(new Date(0)));
    assertFalse(mine.condition.awaitUntil(new Date(Long.MIN_VALUE)));
    assertFalse(mine.condition.awaitUntil(new Date(System.currentTimeMillis() - 1)));
    mine.lock.unlock();
    Pair first = pairs.get();
    Contender late = waiting(first.lock, () -> first.condition.await(100, TimeUnit.MILLISECONDS));
    Pair second = pairs.get();
    Contender early = waiting(second.lock, () -> second.condition.awaitNanos(Long.MAX_VALUE) > 0);
    if (of == Of.JDK) {
      TimeUnit.MILLISECONDS.sleep(150);
    } else {
      passTime(Duration.ofMillis(150));
    }
    assertFalse(late.result());
    signal(mine, false);
    assertTrue(early.result(), "the thread that left took no signal");
  }

  /**
   * In this case the JDK reports the interrupt or the time-out, and signals the next thread
   * instead.
   */
  @ParameterizedTest
  @EnumSource(names = "JDK", mode = EnumSource.Mode.EXCLUDE)
  @Rule({"C2", "C3"})
  void aThreadThatIsSignalledOnItsWayOutReportsTheSignal(Of of) throws InterruptedException {
    Supplier<Pair> pairs = pairs(of);
    Contender signalledFirst = waiting(pairs.get());
    Contender interruptedFirst = waiting(pairs.get());
    Pair third = pairs.get();
    Pair mine = pairs.get();
    Contender timed = waiting(third.lock, () -> third.condition.await(2, TimeUnit.SECONDS));
    mine.lock.lock();
    mine.condition.signal();
    signalledFirst.interrupt();
    interruptedFirst.interrupt();
    passTime(Duration.ofMillis(2100));
    timed.awaitRest();
    mine.condition.signal();
    mine.condition.signal();
    mine.lock.unlock();

    assertTrue(signalledFirst.result());
    assertTrue(interruptedFirst.result());
    assertTrue(timed.result(), "the wait ended by a signal, not by time");
    assertTrue(signalledFirst.wasInterruptedAfter() && interruptedFirst.wasInterruptedAfter());
  }

  /** Two producers, two consumers, a buffer of one. A lost or doubled signal would show. */
  @ParameterizedTest
  @EnumSource
  @Rule({"C2", "L10"})
  void aBoundedBufferLosesNothing(Of of) throws InterruptedException {
    int each = 60;
    Supplier<Pair> notEmpty = pairs(of);
    Deque<Integer> buffer = new ArrayDeque<>();
    ConcurrentLinkedQueue<Integer> taken = new ConcurrentLinkedQueue<>();
    Crew.run(
        4,
        number -> {
          Pair pair = notEmpty.get();
          for (int i = 0; i < each; i++) {
            pair.lock.lock();
            try {
              boolean puts = number < 2;
              while (buffer.isEmpty() != puts) {
                assertTrue(pair.condition.await(30, TimeUnit.SECONDS), "no signal came");
              }
              if (puts) {
                buffer.add(number * each + i);
              } else {
                taken.add(buffer.remove());
              }
              pair.condition.signalAll();
            } finally {
              pair.lock.unlock();
            }
          }
        });
    Set<Integer> once = new HashSet<>(taken);
    assertEquals(2 * each, once.size());
    assertEquals(2 * each, taken.size());
    assertEquals(2 * each - 1, Collections.max(once));
  }
}
