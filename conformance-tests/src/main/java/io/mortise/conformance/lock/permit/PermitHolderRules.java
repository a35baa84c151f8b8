package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Permits whose holder lives, is gone, or has forgotten them, and lost data. */
public abstract class PermitHolderRules extends SyncFixture {
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final Duration WEEK = Duration.ofDays(7);

  protected PermitHolderRules(LockKit kit) {
    super(kit, "sem");
  }

  private LockService brief() {
    return service(builder -> builder.leaseTime(LEASE));
  }

  private static void takeAndDrop(DistributedSemaphore semaphore) {
    assertTrue(take(semaphore, 1).isValid());
  }

  @Test
  @Rule({"S4", "L7", "L8", "L15"})
  void aLivingHolderKeepsItsPermitsOverTwoLeasesAndThoseOfDeadOnesComeBack() {
    DistributedSemaphore mine = semaphore(6);
    LockService gone = brief();
    DistributedSemaphore dead = gone.getSemaphore(name);
    DistributedSemaphore alive = brief().getSemaphore(name);
    try (Lease kept = take(alive, 3)) {
      takeAndDrop(alive);
      Lease lost = take(dead, 2);
      gone.close(); // without a release, like a process that ends
      CompletableFuture<Lease> waiter = waiting(mine, 3, 1);
      Duration longest = LEASE.multipliedBy(2);
      long start = System.nanoTime();
      AtomicInteger looks = new AtomicInteger();
      passTimeUntil(
          "the permits of the closed service are free",
          longest.multipliedBy(2),
          () -> {
            if (looks.getAndIncrement() % 10 == 0) { // more would stop the threads that renew
              System.gc();
            }
            return waiter.isDone();
          });
      assertFalse(lost.isValid());
      Duration passed = Duration.ofNanos(System.nanoTime() - start);
      passTime(passed.compareTo(longest) < 0 ? longest.minus(passed) : Duration.ZERO);

      assertTrue(kept.isValid());
      assertEquals(0, mine.availablePermits());
      Await.value(waiter).close();
    }
    awaitFree(mine, 6);
  }

  private long idle() {
    return (Long) runOn(key("permits"), "return {redis.call('PTTL', KEYS[1])}").get(0);
  }

  @Test
  @Rule("L15")
  void theSemaphoreOutlivesItsLastLeaseByAWeekAndNothingElseIsLeft() {
    DistributedSemaphore mine = semaphore(2);
    assertTrue(idle() <= WEEK.toMillis());
    assertTrue(idle() > WEEK.minus(LONG).toMillis());
    Lease longer = take(mine.withLease(WEEK.multipliedBy(2)), 1);
    CompletableFuture<Lease> waiter = waiting(mine, 2, 1);
    assertTrue(idle() > WEEK.multipliedBy(3).minus(LONG).toMillis());
    String shorten = "return {redis.call('PEXPIRE', KEYS[1], 60000)}";
    runOn(key("permits"), shorten);
    longer.close();
    Lease two = Await.value(waiter);
    assertTrue(idle() > WEEK.toMillis(), "a grant keeps the semaphore too");
    two.close();
    runOn(key("permits"), shorten);
    Lease again = take(mine, 1);
    assertTrue(idle() > WEEK.toMillis());
    runOn(key("permits"), shorten);
    assertTrue(again.extend(SECOND));
    assertTrue(idle() > WEEK.toMillis(), "a renewal keeps the semaphore too");
    again.close();
    awaitWaiting(0);
    assertEquals(
        List.of(2L, 0L, 0L),
        runOn(
            key("permits"),
            "return {redis.call('ZCARD', KEYS[1]), redis.call('EXISTS', '"
                + key("queue")
                + "'), redis.call('EXISTS', '"
                + key("alive")
                + "')}"));
  }

  @Test
  @Rule({"S3", "L9", "L10"})
  void aSemaphoreWhoseDataIsLostIsUnsetAndItsHoldersGetAReport() {
    DistributedSemaphore mine = semaphore(2);
    Lease held = take(brief().getSemaphore(name), 2);
    CompletableFuture<Lease> waiter = waiting(semaphore(), 1, 1);

    runOn(key("permits"), "return {redis.call('DEL', KEYS[1])}");

    passTimeUntil("the holder knows the loss", LEASE, () -> !held.isValid());
    passTimeUntil("the waiter gets the failure", RECHECK, waiter::isDone);
    assertInstanceOf(IllegalStateException.class, Await.failure(waiter));
    assertThrows(IllegalStateException.class, mine::tryAcquire);
    assertTrue(mine.trySetPermits(1));
    take(mine, 1).close();
    awaitFree(mine, 1);
  }

  /** The key ends because it was deleted, or was idle for a week. */
  @ParameterizedTest
  @ValueSource(strings = {"'DEL', KEYS[1]", "'PEXPIRE', KEYS[1], -1"})
  @Rule({"S3", "L18"})
  void aForgottenSemaphoreIsReportedAndCanBeSetAgain(String ends) throws InterruptedException {
    DistributedSemaphore mine = semaphore();
    assertTrue(mine.trySetPermits(2));
    take(mine, 1).close();

    runOn(key("permits"), "return {redis.call(" + ends + ")}");

    String said =
        String.valueOf(assertThrows(IllegalStateException.class, mine::acquire).getMessage());
    assertTrue(said.contains("forgotten") && said.contains("call trySetPermits, also"), said);
    assertTrue(mine.trySetPermits(2));
    assertFalse(mine.trySetPermits(3));
    mine.acquire(2).close();
    take(semaphore(), 2).close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"S1", "S4", "L9"})
  void revokedPermitsGoToTheNextAndTheirHoldersGetAReport() {
    DistributedSemaphore mine = semaphore(3);
    DistributedSemaphore theirs = service().getSemaphore(name);
    assertFalse(theirs.forceRelease());
    Lease one = take(mine, 1);
    Lease two = take(mine, 2);
    CompletableFuture<Lease> waiter = waiting(theirs, 3, 1);

    assertTrue(theirs.forceRelease());

    assertTrue(Await.value(waiter).isValid());
    Await.until("both holders know the loss", () -> !one.isValid() && !two.isValid());
    assertTrue(Await.value(mine.forceReleaseAsync()));
    assertEquals(3, mine.availablePermits());
    assertThrows(LeaseLostException.class, one::close);
  }
}
