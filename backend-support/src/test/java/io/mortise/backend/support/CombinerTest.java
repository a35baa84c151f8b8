package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CombinerTest {
  private static final Script SCRIPT = Script.of("take", "return {1}");

  private final List<Integer> exchanges = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore mayReply = new Semaphore(0);
  private final List<Thread> callers = new ArrayList<>();
  private final AtomicInteger threw = new AtomicInteger();
  private final Combiner<PendingCall> combiner = new Combiner<>(() -> 1, this::exchange);

  private void exchange(List<PendingCall> batch) {
    exchanges.add(batch.size());
    List<PendingCall> sent = batch.stream().filter(PendingCall::sending).toList();
    mayReply.acquireUninterruptibly();
    sent.forEach(call -> call.answer(1L));
  }

  private static PendingCall call(int seconds) {
    Duration timeout = Duration.ofSeconds(seconds);
    return new PendingCall(new ScriptCall(SCRIPT, List.of("k"), List.of(), timeout), "here");
  }

  private void start(PendingCall call) {
    start(() -> combiner.run(call));
  }

  private void start(Runnable work) {
    Thread caller = new Thread(work);
    callers.add(caller);
    caller.start();
  }

  /** Waits until the last caller waits, for a reply or for a connection. */
  private void awaitWaiting() throws InterruptedException {
    Thread last = callers.get(callers.size() - 1);
    while (last.getState() != Thread.State.WAITING
        && last.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(1);
    }
  }

  private void awaitExchanges(int number) throws InterruptedException {
    while (exchanges.size() < number) {
      Thread.sleep(1);
    }
  }

  private void awaitCallers() throws InterruptedException {
    for (Thread caller : callers) {
      caller.join();
    }
  }

  @AfterEach
  void end() throws InterruptedException {
    mayReply.release(1_000);
    awaitCallers();
  }

  @Test
  @DisplayName(
      "Calls that wait for a connection go out together with the first of them that gets one")
  void together() throws InterruptedException {
    List<PendingCall> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      calls.add(call(50 - i)); // so that a slow machine takes none of them for a much later one
      start(calls.get(i));
      awaitWaiting();
    }
    mayReply.release(2);
    awaitCallers();

    assertEquals(List.of(1, 3), exchanges);
    calls.forEach(call -> assertEquals(List.of(1L), Waits.await(call)));
  }

  @Test
  @DisplayName("B2: a call that waits too long is never sent, and does not hold up the next")
  void late() throws InterruptedException {
    start(call(50));
    awaitWaiting();
    PendingCall late = call(1);
    start(late);
    awaitWaiting();
    PendingCall next = call(50);
    start(next);
    awaitWaiting();
    BackendException failure = assertThrows(BackendException.class, () -> Waits.await(late));
    mayReply.release(2);
    awaitCallers();

    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertEquals("here: take was not sent: waited for PT1S", failure.getMessage());
    assertEquals(List.of(1L), Waits.await(next));
    assertEquals(List.of(1, 1), exchanges);
  }

  @Test
  @DisplayName(
      "B3: a caller without patience leaves, unless another thread has sent its call along")
  void patience() throws InterruptedException {
    start(call(50));
    awaitWaiting();
    PendingCall leaves = impatient(Duration.ofMillis(20));
    combiner.run(leaves);
    assertThrows(BackendException.class, () -> Waits.await(leaves));
    start(call(50));
    awaitWaiting();
    PendingCall along = impatient(Duration.ofMillis(1_500));
    start(along);
    awaitWaiting();
    mayReply.release();
    awaitExchanges(2);
    Thread.sleep(2_000); // its patience is over, and the call is out
    assertFalse(along.isDone());
    mayReply.release();
    awaitCallers();

    assertEquals(List.of(1L), Waits.await(along));
    assertEquals(List.of(1, 2), exchanges);
  }

  private static PendingCall impatient(Duration longest) {
    ScriptCall call = new ScriptCall(SCRIPT, List.of("k"), List.of(), Duration.ofSeconds(40));
    return new PendingCall(call.withPatience(new Patience(longest, false)), "here");
  }

  @Test
  @DisplayName("B1: a call in another thread's batch waits no longer than its own timeout")
  void sentAlong() throws InterruptedException {
    start(call(50));
    awaitWaiting();
    start(call(50));
    awaitWaiting();
    PendingCall along = call(3);
    start(along);
    awaitWaiting();
    mayReply.release();
    awaitExchanges(2);
    BackendException failure = assertThrows(BackendException.class, () -> Waits.await(along));

    assertEquals(Outcome.UNKNOWN, failure.outcome());
    assertEquals(List.of(1, 2), exchanges);
  }

  @Test
  @DisplayName("B4: an interrupt does not end the wait for a connection, and is kept")
  void interrupted() throws InterruptedException {
    start(call(50));
    awaitWaiting();
    PendingCall call = call(50);
    CountDownLatch kept = new CountDownLatch(1);
    start(() -> {
      Thread.currentThread().interrupt();
      combiner.run(call);
      if (Thread.currentThread().isInterrupted()) {
        kept.countDown();
      }
    });
    awaitWaiting();
    assertFalse(call.isDone());
    mayReply.release(2);
    awaitCallers();

    assertEquals(List.of(1L), Waits.await(call));
    assertEquals(0, kept.getCount());
  }

  @Test
  @DisplayName("B3: a thread that sends a batch does not wait for calls with much longer timeouts")
  void notMuchLonger() throws InterruptedException {
    start(call(50));
    awaitWaiting();
    start(call(20));
    awaitWaiting();
    start(call(40));
    awaitWaiting();
    mayReply.release(3);
    awaitCallers();

    assertEquals(List.of(1, 1, 1), exchanges);
  }

  @Test
  @DisplayName(
      "After an exchange that throws no caller waits, and the next one gets the connection")
  void thrown() throws InterruptedException {
    Semaphore mayFail = new Semaphore(0);
    Combiner<PendingCall> failing =
        new Combiner<>(
            () -> 1,
            batch -> {
              exchanges.add(batch.size());
              mayFail.acquireUninterruptibly();
              throw new StackOverflowError();
            });
    List<PendingCall> calls = List.of(call(50), call(49), call(48));
    for (PendingCall call : calls) {
      start(() -> {
        try {
          failing.run(call);
        } catch (StackOverflowError e) {
          threw.incrementAndGet();
        }
      });
      awaitWaiting();
    }
    mayFail.release(2);

    for (PendingCall call : calls) {
      assertThrows(BackendException.class, () -> Waits.await(call));
    }
    awaitCallers();
    mayFail.release();
    assertThrows(StackOverflowError.class, () -> failing.run(call(50)));
    assertEquals(List.of(1, 2, 1), exchanges);
    assertEquals(2, threw.get(), "threads that sent a batch");
  }

  @Test
  @DisplayName("There are never more exchanges at a time than connections")
  void atATime() throws InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    Combiner<PendingCall> two =
        new Combiner<>(
            () -> 2,
            batch -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              largest.accumulateAndGet(batch.size(), Math::max);
              LockSupport.parkNanos(1_000);
              batch.forEach(call -> call.answer(1L));
              now.decrementAndGet();
            });
    for (int i = 0; i < 200; i++) {
      start(() -> {
        for (int j = 0; j < 200; j++) {
          PendingCall call = call(50);
          two.run(call);
          calls.addAndGet(Waits.await(call).size());
        }
      });
    }
    awaitCallers();

    assertEquals(200 * 200, calls.get());
    assertEquals(2, most.get());
    assertTrue(largest.get() > 1 && largest.get() <= 101, largest.toString());
  }
}
