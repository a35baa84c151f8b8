package io.mortise.conformance.lock.permit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The semaphore: permits as leases, in order, and their release. */
public abstract class PermitRules extends SyncFixture {
  protected PermitRules(LockKit kit) {
    super(kit, "sem");
  }

  @Test
  @Rule({"S1", "S3"})
  void permitsAreThereOnceTheyAreSetAndGoneWhileTheyAreHeld() throws InterruptedException {
    DistributedSemaphore mine = semaphore();
    DistributedSemaphore theirs = semaphore();
    assertTrue(mine.trySetPermits(5));
    assertFalse(theirs.trySetPermits(7));
    assertEquals(5, theirs.availablePermits());

    Lease two = mine.acquire(2);
    Lease one = mine.acquire();
    assertEquals(name, two.name());
    assertEquals(2, two.permits());
    assertEquals(1, one.permits());
    assertTrue(two.isValid());
    assertEquals(2, theirs.availablePermits());
    assertEquals(Optional.empty(), theirs.tryAcquire(3));
    assertEquals(Optional.empty(), theirs.tryAcquire(3, Duration.ZERO));

    two.close();
    two.close();
    assertEquals(4, theirs.availablePermits(), "closed twice, released once");
    assertTrue(theirs.tryAcquire(4, SECOND).isPresent());
    assertEquals(Optional.empty(), mine.tryAcquire());
    one.releaseAsync().join();
    assertEquals(1, mine.availablePermits());
  }

  @Test
  @Rule({"S2", "L11"})
  void aRequestForManyIsOvertakenByNoRequestForFew() {
    DistributedSemaphore mine = semaphore(4);
    DistributedSemaphore theirs = semaphore();
    Lease first = take(mine, 2);
    Lease second = take(theirs, 1);
    CompletableFuture<Lease> many = waiting(mine, 4, 1);
    CompletableFuture<Lease> few = waiting(theirs, 1, 2);
    CompletableFuture<Lease> two = waiting(mine, 2, 3);
    CompletableFuture<Lease> last = waiting(theirs, 2, 4);

    assertEquals(Optional.empty(), theirs.tryAcquire(), "earlier requests come first");
    assertEquals(Optional.empty(), theirs.drain());
    first.close();
    assertEquals(3, mine.availablePermits());
    assertTrue(areWaiting(4));
    second.close();

    Lease all = Await.value(many);
    assertTrue(areWaiting(3));
    assertEquals(0, mine.availablePermits());
    all.close();
    Lease one = Await.value(few);
    Lease other = Await.value(two);
    assertTrue(areWaiting(1), "of four permits, three are held and two requested");
    one.close();
    Await.value(last).close();
    other.close();
    awaitFree(mine, 4);
  }

  @Test
  @Rule({"S4", "W9", "L10"})
  void releasingFiveGrantsToFiveThatWaitForOneEach() throws InterruptedException {
    DistributedSemaphore mine = semaphore(5);
    DistributedSemaphore theirs = semaphore();
    Lease five = mine.acquire(5);
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    List<Contender> threads = new ArrayList<>();
    Lease[] got = new Lease[2];
    for (int i = 0; i < 2; i++) {
      int number = i;
      threads.add(
          contender(() -> {
            got[number] = theirs.acquire();
            return true;
          }));
      awaitWaiting(i + 1);
    }
    for (int i = 3; i <= 6; i++) {
      futures.add(waiting(i % 2 == 0 ? mine : theirs, 1, i));
    }

    five.close();

    threads.forEach(thread -> assertTrue(thread.result()));
    List<Lease> others = futures.subList(0, 3).stream().map(Await::value).toList();
    assertFalse(futures.get(3).isDone(), "five permits serve no sixth request");
    assertEquals(0, mine.availablePermits());
    threads.get(0).leave(() -> got[0].close());
    threads.get(1).leave(() -> got[1].close());
    others.forEach(Lease::close);
    Await.value(futures.get(3)).close();
    awaitFree(mine, 5);
  }

  @Test
  @Rule({"S2", "L4", "L5", "L15"})
  void aWaiterThatGivesUpLeavesNothingAndTheNextIsGranted() throws InterruptedException {
    DistributedSemaphore mine = semaphore(3);
    DistributedSemaphore theirs = semaphore();
    Lease two = take(mine, 2);
    CompletableFuture<Lease> cancelled = waiting(theirs, 3, 1);
    Contender interrupted = contender(() -> theirs.acquire(2).isValid());
    awaitWaiting(2);
    CompletableFuture<Lease> timedOut = theirs.async(2).acquire().orTimeout(1, TimeUnit.HOURS);
    awaitWaiting(3);
    CompletableFuture<Lease> next = waiting(mine, 1, 4);

    cancelled.cancel(false);
    awaitWaiting(3);
    interrupted.interrupt();
    assertInstanceOf(InterruptedException.class, interrupted.failure());
    awaitWaiting(2);
    timedOut.completeExceptionally(new TimeoutException());

    Lease one = Await.value(next);
    Contender waiter = contender(() -> theirs.tryAcquire(2, SECOND.dividedBy(5)).isPresent());
    passTimeUntil(
        "the attempt's time is over", SECOND.multipliedBy(4), () -> !waiter.thread().isAlive());
    assertFalse(waiter.result());
    one.close();
    two.close();
    awaitFree(mine, 3);
  }

  @Test
  @Rule("S1")
  void drainTakesAllThatAreFreeAsOneLease() {
    DistributedSemaphore mine = semaphore(6);
    Lease one = take(mine, 1);
    Lease rest = mine.drain().orElseThrow();
    assertEquals(5, rest.permits());
    assertEquals(0, mine.availablePermits());
    assertEquals(Optional.empty(), mine.drain());
    one.close();
    assertEquals(1, mine.availablePermits());
    rest.close();
    awaitFree(mine, 6);
  }

  @Test
  @Rule({"S3", "L10"})
  void moreOrFewerPermitsGrantOrKeepOutAndTakeNothing() {
    DistributedSemaphore mine = semaphore(2);
    DistributedSemaphore theirs = semaphore();
    Lease two = take(mine, 2);
    CompletableFuture<Lease> three = waiting(theirs, 2, 1);
    CompletableFuture<Lease> one = waiting(theirs, 1, 2);

    mine.resize(5);

    Lease second = Await.value(three);
    Lease third = Await.value(one);
    mine.resize(2);
    assertTrue(two.isValid() && second.isValid() && third.isValid(), "no holder lost its permits");
    assertEquals(0, theirs.availablePermits());
    CompletableFuture<Lease> next = waiting(mine, 1, 1);
    two.close();
    third.close();
    assertTrue(areWaiting(1), "two of two permits are still held");
    second.close();
    Await.value(next).close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"S3", "L18", "L10"})
  void aWaiterForMoreThanThereAreNowFailsAndKeepsNobodyOut() {
    DistributedSemaphore mine = semaphore(3);
    Lease one = take(mine, 1);
    CompletableFuture<Lease> all = waiting(semaphore(), 3, 1);
    CompletableFuture<Lease> next = waiting(mine, 1, 2);

    mine.resize(2);

    Lease second = Await.value(next);
    assertInstanceOf(IllegalArgumentException.class, Await.failure(all));
    one.close();
    second.close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule({"L9", "L13"})
  void aFixedLeaseEndsIsReportedAndItsPermitsComeBack() {
    DistributedSemaphore mine = semaphore(2);
    DistributedSemaphore theirs = semaphore();
    DistributedSemaphore brief = mine.withLease(SECOND.multipliedBy(2));
    List<LeaseState> told = new CopyOnWriteArrayList<>();
    Lease lease = take(brief, 2).onLost(event -> told.add(event.state()));
    assertTrue(lease.fencingToken().isEmpty());
    CompletableFuture<Lease> next = waiting(theirs, 2, 1);

    passTimeUntil("the lease is over", SECOND.multipliedBy(4), next::isDone);

    Await.until("the loss is reported", () -> told.equals(List.of(LeaseState.LOST)));
    assertFalse(lease.extend(LONG));
    assertThrows(LeaseLostException.class, lease::close);
    assertEquals(0, mine.availablePermits(), "a lost lease does not release its permits twice");
    Await.value(next).close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule("L17")
  void closingTheServiceEndsTheWaitingAndOthersAreGranted() {
    DistributedSemaphore mine = semaphore(2);
    Lease one = take(mine, 1);
    LockService closing = patient();
    CompletableFuture<Lease> waiter = waiting(closing.getSemaphore(name), 2, 1);
    CompletableFuture<Lease> next = waiting(mine, 1, 2);

    closing.close();

    assertInstanceOf(LockServiceClosedException.class, Await.failure(waiter));
    Await.value(next).close();
    one.close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule("S3")
  void aSemaphoreWithANumberIsSetByTheFirstAndCheckedByTheOthers() {
    DistributedSemaphore mine = patient().getSemaphore(name, 3);
    assertEquals(3, mine.totalPermits());
    Lease two = take(mine, 2);
    assertEquals(1, patient().getSemaphore(name, 3).availablePermits(), "nothing is set again");

    LockService other = patient();
    String said =
        String.valueOf(
            failure(IllegalStateException.class, () -> other.getSemaphore(name, 5)).getMessage());
    assertTrue(
        said.contains("'" + name + "' has 3 permits") && said.contains("5 were asked"), said);
    assertEquals(3, mine.totalPermits(), "the number in the store stays");
    mine.resize(5);
    assertEquals(3, other.getSemaphore(name, 5).availablePermits());
    two.close();
    awaitFree(mine, 5);
    failure(IllegalArgumentException.class, () -> other.getSemaphore(name, 0));
  }

  @Test
  @Rule("S1")
  void totalAndUsedPermitsAreCountedAlsoWhenMoreAreHeldThanThereAre() {
    DistributedSemaphore mine = semaphore(5);
    Lease three = take(mine, 3);
    Lease one = take(semaphore(), 1);
    assertEquals(5, mine.totalPermits());
    assertEquals(4, mine.usedPermits());
    mine.resize(2);
    assertEquals(2, mine.totalPermits());
    assertEquals(4, mine.usedPermits());
    assertEquals(0, mine.availablePermits());
    three.close();
    assertEquals(1, mine.usedPermits());
    one.close();
    assertEquals(0, mine.usedPermits());
  }

  @Test
  @Rule({"L5", "S2"})
  void aTimedAttemptTakesADurationOrANumberOfUnits() throws InterruptedException {
    DistributedSemaphore mine = semaphore(2);
    Lease one = mine.tryAcquire(SECOND).orElseThrow();
    Lease other = mine.tryAcquire(1, TimeUnit.SECONDS).orElseThrow();
    assertEquals(Optional.empty(), mine.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE)));
    assertEquals(Optional.empty(), mine.tryAcquire(-1, TimeUnit.DAYS));
    assertEquals(Optional.empty(), mine.tryAcquire(2, Long.MIN_VALUE, TimeUnit.DAYS));
    other.close();
    one.close();
    mine.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().close();
    mine.tryAcquire(2, Long.MAX_VALUE, TimeUnit.DAYS).orElseThrow().close();
    awaitFree(mine, 2);
  }

  @Test
  @Rule("L4")
  void anInterruptDoesNotEndAnUninterruptibleWait() {
    DistributedSemaphore mine = semaphore(1);
    DistributedSemaphore theirs = semaphore();
    Lease one = mine.acquireUninterruptibly();
    Lease[] got = new Lease[1];
    Contender waiter =
        contender(() -> {
          got[0] = theirs.acquireUninterruptibly(1);
          return true;
        });
    awaitWaiting(1);
    waiter.interrupt();
    waiter.awaitRest();
    assertTrue(areWaiting(1));

    one.close();

    assertTrue(waiter.result());
    assertTrue(waiter.wasInterruptedAfter());
    waiter.leave(() -> got[0].close());
    awaitFree(mine, 1);
  }
}
