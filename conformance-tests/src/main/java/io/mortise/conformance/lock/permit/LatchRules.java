package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedCountDownLatch;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The count-down latch: its waiters, and when they go on. */
public abstract class LatchRules extends LatchFixture {
  protected LatchRules(LockKit kit) {
    super(kit);
  }

  private long keysBeside() {
    String count = "return {redis.call('EXISTS', KEYS[1])}";
    return (Long) runOn(key("queue"), count).get(0);
  }

  @Test
  @Rule({"D1", "D4"})
  void nobodyGoesOnBeforeZeroAndEverybodyAfter() throws InterruptedException {
    DistributedCountDownLatch mine = latch();
    DistributedCountDownLatch theirs = latch();
    assertTrue(mine.trySetCount(2));
    assertFalse(theirs.trySetCount(5));
    List<CompletableFuture<Void>> futures = new ArrayList<>();
    List<Contender> threads = new ArrayList<>();
    for (int i = 1; i <= 6; i += 2) {
      futures.add(waiting(i % 4 == 1 ? mine : theirs, i));
      threads.add(waitingThread(theirs, i + 1));
    }
    assertFalse(theirs.await(0, TimeUnit.SECONDS));

    theirs.countDown();
    assertEquals(1, mine.getCount());
    assertTrue(areWaiting(6));
    mine.countDown();

    futures.forEach(Await::value);
    threads.forEach(thread -> assertFalse(thread.result()));
    assertEquals(0, keysBeside());
    assertEquals(0, theirs.getCount());
    theirs.await(); // late: the latch is open
    assertTrue(latch().await(0, TimeUnit.SECONDS));
    Await.value(latch().awaitAsync());
    assertFalse(mine.trySetCount(1), "an open latch cannot be set again");
    assertEquals(0, keysBeside());
  }

  @Test
  @Rule({"D2", "L10"})
  void waitingMayBeginBeforeTheCountIsSet() {
    DistributedCountDownLatch mine = latch();
    CompletableFuture<Void> early = waiting(latch(), 1);
    assertTrue(mine.trySetCount(1));
    assertFalse(early.isDone());
    mine.countDown();
    Await.value(early);
  }

  @Test
  @Rule({"D1", "D2"})
  void aCountOfZeroIsOpenFromTheStart() throws InterruptedException {
    DistributedCountDownLatch mine = latch();
    CompletableFuture<Void> early = waiting(latch(), 1);
    assertTrue(mine.trySetCount(0));
    Await.value(early);
    mine.await();
    assertEquals(0, mine.getCount());
  }

  @Test
  @Rule({"D2", "L4", "L5", "L15"})
  void aWaiterThatGivesUpLeavesNothing() {
    DistributedCountDownLatch mine = latch();
    assertTrue(mine.trySetCount(1));
    CompletableFuture<Void> cancelled = waiting(mine, 1);
    Contender interrupted = waitingThread(latch(), 2);
    cancelled.cancel(false);
    awaitWaiting(1);
    interrupted.interrupt();
    assertInstanceOf(InterruptedException.class, interrupted.failure());
    awaitWaiting(0);
    DistributedCountDownLatch theirs = latch();
    Contender timed = contender(() -> theirs.await(300, TimeUnit.MILLISECONDS));
    passTimeUntil(
        "the attempt's time is over", SECOND.multipliedBy(4), () -> !timed.thread().isAlive());
    assertFalse(timed.result());
    awaitWaiting(0);
    assertEquals(1, mine.getCount());
  }

  @Test
  @Rule("L17")
  void closingTheServiceEndsTheWaiting() {
    LockService closing = patient();
    assertTrue(latch().trySetCount(1));
    CompletableFuture<Void> waiter = waiting(closing.getCountDownLatch(name), 1);
    closing.close();
    assertInstanceOf(LockServiceClosedException.class, Await.failure(waiter));
    awaitWaiting(0);
  }

  @Test
  @Rule({"D1", "D3", "W20"})
  void theKeysOfATaggedNameShareItsSlot() {
    String tagged = "a{" + name + "}b";
    DistributedCountDownLatch mine = patient().getCountDownLatch(tagged);
    CompletableFuture<Void> waiter = patient().getCountDownLatch(tagged).awaitAsync();
    Await.until("the thread is in the queue", () -> sizeOf("mortise:latch:queue:" + tagged) == 1);
    assertTrue(mine.trySetCount(1));
    mine.countDown();
    Await.value(waiter);
    assertEquals(tagged, mine.name());
    assertEquals(1, sizeOf("mortise:latch:count:" + tagged));
  }

  /** Many threads count and many wait. None may go on before all have counted. */
  @Test
  @Rule({"D1", "D3"})
  void manyCountDownAndManyWait() throws InterruptedException {
    List<DistributedCountDownLatch> latches = List.of(latch(), latch());
    int counts = 60;
    latches.get(0).trySetCount(counts);
    AtomicInteger counted = new AtomicInteger();
    Crew.run(
        8,
        number -> {
          DistributedCountDownLatch mine = latches.get(number % 2);
          if (number < 4) {
            for (int i = 0; i < counts / 4; i++) {
              counted.incrementAndGet();
              mine.countDown();
            }
          } else {
            mine.await();
            assertEquals(counts, counted.get());
          }
        });
    assertEquals(0, latches.get(1).getCount());
    awaitWaiting(0);
  }

  private long left(String part) {
    return (Long) runOn(key(part), "return {redis.call('PTTL', KEYS[1])}").get(0);
  }

  @Test
  @Rule({"D1", "L15"})
  void aLatchIsRememberedForAWeekSinceItWasLastUsed() {
    Duration week = Duration.ofDays(7);
    String shorten = "return {redis.call('PEXPIRE', KEYS[1], 60000)}";
    DistributedCountDownLatch mine = latch();
    assertTrue(mine.trySetCount(2));
    for (int i = 0; i < 2; i++) {
      runOn(key("count"), shorten);
      mine.countDown();
      assertTrue(left("count") > week.minus(LONG).toMillis());
    }
    DistributedCountDownLatch other = patient().getCountDownLatch(name);
    Await.value(other.awaitAsync());
    passTime(Duration.ofMillis(20));
    assertTrue(left("count") <= week.toMillis());
    assertTrue(left("alive") > 0, "the marks of counted steps expire");
    assertEquals(-2, left("queue"));
  }

  @Test
  @Rule({"D1", "L9"})
  void aLatchThatIsForgottenIsOneThatWasNeverSet() {
    DistributedCountDownLatch mine = latch();
    assertTrue(mine.trySetCount(1));
    runOn(key("count"), "return {redis.call('DEL', KEYS[1])}");
    CompletableFuture<Void> waiter = waiting(latch(), 1);
    assertTrue(mine.trySetCount(1));
    mine.countDown();
    assertNull(Await.value(waiter));
  }

  @Test
  @Rule({"D4", "D2"})
  void aDeletedLatchIsOneThatWasNeverSet() {
    DistributedCountDownLatch mine = latch();
    assertFalse(mine.delete(), "there is nothing to delete");
    assertTrue(mine.trySetCount(1));
    CompletableFuture<Void> waiter = waiting(latch(), 1);
    assertTrue(latch().delete());
    assertFalse(mine.delete());
    assertInstanceOf(
        IllegalStateException.class, failure(IllegalStateException.class, mine::getCount));
    assertFalse(waiter.isDone());

    assertTrue(mine.trySetCount(1));
    mine.countDown();
    Await.value(waiter);
    assertTrue(mine.delete(), "an open latch too");
    assertTrue(mine.trySetCount(4));
    assertEquals(4, latch().getCount());
  }

  @Test
  @Rule({"D1", "L5", "L15"})
  void aTimedWaitWithoutAThreadCompletesWithFalseWhenItsTimeIsOver() {
    DistributedCountDownLatch mine = latch();
    assertTrue(mine.trySetCount(1));
    CompletableFuture<Boolean> brief = latch().awaitAsync(Duration.ofMillis(300));
    CompletableFuture<Boolean> patient = latch().awaitAsync(Duration.ofSeconds(Long.MAX_VALUE));
    assertFalse(Await.value(mine.awaitAsync(Duration.ZERO)));
    assertFalse(Await.value(mine.awaitAsync(Duration.ofSeconds(Long.MIN_VALUE))));
    passTimeUntil("the time is over", SECOND.multipliedBy(4), brief::isDone);
    assertFalse(Await.value(brief));
    awaitWaiting(1);
    assertFalse(patient.isDone());

    mine.countDown();

    assertTrue(Await.value(patient));
    assertTrue(Await.value(mine.awaitAsync(Duration.ofSeconds(Long.MIN_VALUE))));
    awaitWaiting(0);
  }
}
