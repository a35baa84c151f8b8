package io.mortise.backend.inmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.support.Await;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B20: parks, timers and the clock move together. */
@Timeout(60)
class MovableTimeTest {
  private final InMemoryStore store = InMemoryStore.withMovableTime();
  private final TimeSource time = store.time();
  private final long start = time.nanoTime();
  private final List<String> events = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> threads = new ArrayList<>();

  @AfterEach
  void endThreads() throws InterruptedException {
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join(TimeUnit.SECONDS.toMillis(10));
      assertFalse(thread.isAlive(), thread.getName());
    }
  }

  private Thread start(Runnable body) {
    Thread thread = new Thread(body, "parker-" + threads.size());
    threads.add(thread);
    thread.start();
    return thread;
  }

  private void note(String what) {
    events.add(what + " at " + Duration.ofNanos(time.nanoTime() - start).toMillis());
  }

  private void park(Duration duration) {
    time.parkNanos(this, duration.toNanos());
  }

  private TimeSource.Timer timer(String name, long millis) {
    return time.schedule(() -> note(name), Duration.ofMillis(millis));
  }

  @Test
  void aThreadThatIsParkedIsShownOnOneLine() {
    start(() -> park(Duration.ofSeconds(1))).setName("parker\n42");
    store.awaitParked(1);
    MovableTime movable = assertInstanceOf(MovableTime.class, time);
    var late =
        assertThrows(IllegalStateException.class, () -> movable.awaitParked(2, Duration.ZERO));
    assertTrue(
        String.valueOf(late.getMessage()).endsWith("parked are [parker\\u000a42]"), late::toString);
  }

  @Test
  void theWallClockMovesWithTheTime() {
    long wall = time.currentTimeMillis();

    store.advance(Duration.ofMinutes(1));
    assertEquals(60_000, time.currentTimeMillis() - wall);
    store.suspend(Duration.ofHours(1));

    assertEquals(3_660_001, time.currentTimeMillis() - wall, "a millisecond passes after it");
  }

  @Test
  void aThreadThatWasWokenRunsBeforeTimeMoves() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Thread thread =
          start(() -> {
            park(Duration.ofHours(1));
            note("woken");
          });
      store.awaitParked(1);
      if (i % 2 == 0) {
        time.unpark(thread);
      } else {
        thread.interrupt();
      }
      store.advance(Duration.ofMillis(10));
      expected.add("woken at " + 10 * i);
    }
    assertEquals(expected, events);
  }

  /** On a busy machine a thread may need seconds for what takes it milliseconds else. */
  @ParameterizedTest
  @ValueSource(ints = {20, 2_500})
  void aThreadThatHasLeftItsParkRunsBeforeTimeMoves(int millis) {
    AtomicBoolean left = new AtomicBoolean();
    Thread thread =
        start(() -> {
          park(Duration.ofHours(1));
          left.set(true);
          long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
          while (System.nanoTime() < end) {
            Thread.onSpinWait();
          }
          note("woken");
        });
    store.awaitParked(1);
    time.unpark(thread);
    while (!left.get()) {
      Thread.onSpinWait();
    }
    store.advance(Duration.ofMillis(10));
    assertEquals(List.of("woken at 0"), events);
  }

  @Test
  void timeStandsStillUntilItIsMoved() {
    timer("timer", 1);
    Thread thread = start(() -> park(Duration.ofMillis(1)));
    store.awaitParked(1);
    assertEquals(start, time.nanoTime());
    store.advance(Duration.ofNanos(999_999));
    assertEquals(List.of(), events);
    Await.until("it is parked", () -> thread.getState() == Thread.State.WAITING);
    assertEquals(999_999, time.nanoTime() - start);
    store.advance(Duration.ofNanos(1));
    assertEquals(List.of("timer at 1"), events);
  }

  @Test
  void timersRunInOrderOfTimeAndThenOfScheduling() {
    timer("c", 30);
    timer("a", 10);
    timer("b2", 20);
    timer("b3", 20);
    timer("never", 41);
    store.advance(Duration.ofMillis(40));
    assertEquals(List.of("a at 10", "b2 at 20", "b3 at 20", "c at 30"), events);
    assertEquals(40_000_000, time.nanoTime() - start);
  }

  @Test
  void timersScheduledOnTheWayRunOnTheWay() {
    time.schedule(
        () -> {
          note("first");
          timer("second", 10);
          timer("too late", 100);
        },
        Duration.ofMillis(10));
    store.advance(Duration.ofMillis(50));
    assertEquals(List.of("first at 10", "second at 20"), events);
  }

  @Test
  void aTimerThatRepeatsRunsAtEachOfItsInstants() {
    class Repeating implements Runnable {
      @Override
      public void run() {
        note("tick");
        time.schedule(this, Duration.ofSeconds(10));
      }
    }
    time.schedule(new Repeating(), Duration.ofSeconds(10));
    store.advance(Duration.ofSeconds(35));
    assertEquals(List.of("tick at 10000", "tick at 20000", "tick at 30000"), events);
  }

  @Test
  void aClosedTimerNeverRuns() {
    TimeSource.Timer closed = timer("closed", 10);
    TimeSource.Timer closedByAnother = timer("closed by another", 20);
    time.schedule(closedByAnother::close, Duration.ofMillis(20));
    time.schedule(timer("at the same instant", 15)::close, Duration.ofMillis(14));
    closed.close();
    closed.close();
    timer("kept", 20);
    store.advance(Duration.ofSeconds(1));
    assertEquals(List.of("closed by another at 20", "kept at 20"), events);
  }

  @Test
  void aTimerWithoutDelayNeedsNoMove() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(2);
    time.schedule(ran::countDown, Duration.ZERO);
    time.schedule(ran::countDown, Duration.ofMillis(-5));
    assertTrue(ran.await(10, TimeUnit.SECONDS));
    assertEquals(start, time.nanoTime());
  }

  @Test
  void aFailingTimerIsReportedAndTheRestStaysDue() {
    time.schedule(
        () -> {
          throw new IllegalStateException("broken timer");
        },
        Duration.ofMillis(10));
    timer("next", 20);
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> store.advance(Duration.ofSeconds(1)));
    assertEquals("broken timer", e.getMessage());
    store.advance(Duration.ofSeconds(1));
    assertEquals(List.of("next at 20"), events);
  }

  @Test
  void parkedThreadsWakeInOrderOfTimeAndComeToRestInBetween() {
    for (long millis : new long[] {31, 10, 25}) {
      start(() -> {
        for (int round = 1; round <= 2; round++) {
          park(Duration.ofMillis(millis));
          note(millis + "/" + round);
        }
      });
    }
    store.awaitParked(3);
    timer("timer", 22);
    store.advance(Duration.ofMillis(100));
    assertEquals(
        List.of(
            "10/1 at 10",
            "10/2 at 20",
            "timer at 22",
            "25/1 at 25",
            "31/1 at 31",
            "25/2 at 50",
            "31/2 at 62"),
        events);
  }

  @Test
  void advanceReturnsAfterTheWokenHaveDoneTheirWork() {
    for (int i = 0; i < 8; i++) {
      String name = "worker " + i;
      start(() -> {
        for (int round = 0; round < 20; round++) {
          park(Duration.ofSeconds(1));
          Thread.onSpinWait();
          note(name);
        }
      });
    }
    store.awaitParked(8);
    for (int second = 1; second <= 19; second++) {
      store.advance(Duration.ofSeconds(1));
      assertEquals(8 * second, events.size());
    }
    store.advance(Duration.ofSeconds(1));
  }

  @Test
  void aTimerMayWakeAParkedThread() throws InterruptedException {
    Thread waiter = start(() -> park(Duration.ofDays(1)));
    store.awaitParked(1);
    time.schedule(() -> LockSupport.unpark(waiter), Duration.ofSeconds(1));
    store.advance(Duration.ofMillis(999));
    assertTrue(waiter.isAlive());
    store.advance(Duration.ofMillis(1));
    waiter.join(TimeUnit.SECONDS.toMillis(10));
    assertFalse(waiter.isAlive());
  }

  @Test
  void unparkWakesWithoutAMove() throws InterruptedException {
    Thread thread = start(() -> park(Duration.ofDays(1)));
    store.awaitParked(1);
    LockSupport.unpark(thread);
    thread.join(TimeUnit.SECONDS.toMillis(10));
    assertFalse(thread.isAlive());
  }

  @Test
  void anUnparkBeforehandIsNotLost() throws InterruptedException {
    Thread thread =
        start(() -> {
          LockSupport.unpark(Thread.currentThread());
          park(Duration.ofDays(1));
        });
    thread.join(TimeUnit.SECONDS.toMillis(10));
    assertFalse(thread.isAlive());
  }

  @Test
  void anInterruptWakesAndItsFlagStays() throws InterruptedException {
    Thread thread =
        start(() -> {
          park(Duration.ofDays(1));
          park(Duration.ofDays(1));
          events.add("interrupted: " + Thread.currentThread().isInterrupted());
        });
    store.awaitParked(1);
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(10));
    assertEquals(List.of("interrupted: true"), events);
  }

  @Test
  void parkingForNoTimeReturnsAtOnce() {
    time.parkNanos(this, 0);
    time.parkNanos(this, -1);
    assertEquals(start, time.nanoTime());
  }

  @Test
  void awaitingThreadsThatDoNotParkFailsAndNamesTheParkedOnes() {
    MovableTime own = new MovableTime(thread -> false);
    start(() -> own.parkNanos(this, Long.MAX_VALUE));
    own.awaitParked(1, Duration.ofSeconds(10));
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> own.awaitParked(2, Duration.ofMillis(20)));
    assertEquals("waited PT0.02S for 2 threads to park; parked are [parker-0]", e.getMessage());
  }

  @Test
  void theBlockerIsShown() {
    Thread thread = start(() -> park(Duration.ofDays(1)));
    store.awaitParked(1);
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!equals(LockSupport.getBlocker(thread)) && System.nanoTime() - limit < 0) {
      Thread.onSpinWait();
    }
    assertEquals(this, LockSupport.getBlocker(thread));
  }

  @Test
  @DisplayName(
      "A thread that waits for another woken thread is at rest, a thread that runs scripts is not")
  void aWokenThreadMayRunScripts() {
    String slow = "for i = 1, 20000 do redis.call('INCR', 'n') end return {}";
    for (int i = 0; i < 3; i++) {
      start(() -> {
        park(Duration.ofSeconds(1));
        Calls.eval(store.backend(), slow);
        note("done");
      });
    }
    store.awaitParked(3);
    store.advance(Duration.ofSeconds(1));
    assertEquals(List.of("done at 1000", "done at 1000", "done at 1000"), events);
  }

  @Test
  void advancingKeepsTheInterruptFlag() {
    timer("timer", 10);
    Thread.currentThread().interrupt();
    store.advance(Duration.ofMillis(10));
    assertTrue(Thread.interrupted());
    assertEquals(List.of("timer at 10"), events);
  }

  @Test
  void onlyMovableTimeMovesAndOnlyForward() {
    InMemoryStore system = InMemoryStore.create();
    String message =
        String.valueOf(
            assertThrows(IllegalStateException.class, () -> system.advance(Duration.ofSeconds(1)))
                .getMessage());
    assertTrue(message.contains("withMovableTime"), message);
    assertThrows(IllegalStateException.class, () -> system.awaitParked(0));
    assertThrows(IllegalArgumentException.class, () -> store.advance(Duration.ofMillis(-1)));
  }
}
