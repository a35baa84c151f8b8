package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The Redlock: late replies neither hide nor revive a loss, and a release does not wait for silent
 * members.
 */
@Rule("L16")
public abstract class MajorityLossRules extends MajorityFixture {
  private static final Duration TIMEOUT = Duration.ofMillis(200);

  protected MajorityLossRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L9")
  void aMemberThatCameBackDoesNotHideALoss() {
    Party mine = new Party(Duration.ofSeconds(5));
    mine.lock.lock();
    mine.awaitAllCount();
    forceOpen(0, 1);
    passTimeUntil("all members are held again", SECONDS, () -> mine.lockedMembers() == NODES);

    forceOpen(2); // before the lock checks the other members again

    Await.until("the hold is lost", () -> mine.lock.leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    mine.awaitFree();
  }

  @Test
  @Rule("L9")
  void aLateAnswerDoesNotReviveWhatWasLost() {
    Party mine = party();
    HeldCall late = mine.links.get(0).hold("acquire");
    HeldCall later = mine.links.get(1).hold("acquire");
    assertTrue(mine.lock.withMemberTimeout(SECONDS).tryLock(), "three members have replied");
    late.awaitSent();
    later.awaitSent();
    forceOpen(2);
    Await.until("the hold is lost", () -> mine.lock.leaseState() == LeaseState.LOST);

    late.pass();
    later.pass();

    mine.awaitFree();
    assertEquals(LeaseState.LOST, mine.lock.leaseState());
    assertThrows(LeaseLostException.class, mine.lock::unlock);
  }

  /** The executor that reports the loss is busy meanwhile. */
  @Test
  @Rule("L9")
  void aLateAnswerDoesNotReviveWhatNobodyHasLookedAt() throws InterruptedException {
    Party mine = party();
    HeldCall late = mine.links.get(0).hold("acquire");
    HeldCall later = mine.links.get(1).hold("acquire");
    CountDownLatch knows = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    mine.members
        .get(2)
        .onLeaseChange(event -> {
          knows.countDown();
          awaitQuietly(mayGoOn);
        });
    assertTrue(mine.lock.withMemberTimeout(SECONDS).tryLock(), "three members have replied");
    late.awaitSent();
    later.awaitSent();
    forceOpen(2);
    assertTrue(knows.await(15, TimeUnit.SECONDS), "one of the three members reports its loss");

    late.pass();
    later.pass();
    mayGoOn.countDown();

    assertEquals(LeaseState.LOST, mine.lock.leaseState());
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    mine.awaitFree();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertTrue(latch.await(15, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @Rule("L4")
  void aReleaseDoesNotWaitForSilentMembers() throws InterruptedException {
    Party mine = party();
    Lease lease = held(mine);
    List<HeldCall> silent = List.of(leaving(mine, 0), leaving(mine, 1));

    CompletableFuture<Void> left = lease.releaseAsync();

    passTimeUntil("a majority has released", SECONDS, left::isDone);
    left.join();
    silent.forEach(HeldCall::pass);
    mine.awaitFree();
  }

  /** The lock held three members, so two are free already. */
  @Test
  @Rule("L4")
  void whatWasNotHeldNeedsNoRelease() throws InterruptedException {
    Party mine = party();
    mine.cut(3, 4);
    Lease lease = mine.lock.withMemberTimeout(TIMEOUT).acquire();
    List<HeldCall> silent = List.of(leaving(mine, 0), leaving(mine, 1));

    CompletableFuture<Void> left = lease.releaseAsync();

    passTimeUntil("a majority is free", SECONDS, left::isDone);
    left.join();
    mine.mend(3, 4);
    silent.forEach(HeldCall::pass);
    mine.awaitFree();
  }

  @Test
  void aReleaseIsNotOverBeforeAMajorityHasReleased() throws InterruptedException {
    Party mine = party();
    Lease lease = held(mine);
    List<HeldCall> silent = List.of(leaving(mine, 0), leaving(mine, 1), leaving(mine, 2));

    CompletableFuture<Void> left = lease.releaseAsync();

    for (int i = 0; i < 20; i++) {
      passTime(TIMEOUT.dividedBy(10));
      letCallbacksRun(mine);
      assertFalse(left.isDone());
    }
    silent.forEach(HeldCall::pass);
    Await.until("all members have released", left::isDone);
    left.join();
    mine.awaitFree();
  }

  /** The earlier hold of that member is gone and does not count. */
  @Test
  @Rule({"L4", "L15"})
  void aMemberThatWasTakenAgainIsReleasedOnce() throws InterruptedException {
    Party mine = new Party(Duration.ofSeconds(3));
    Lease lease = held(mine);
    mine.awaitAllCount();
    for (int i = 0; i < 2; i++) {
      forceOpen(0, 1);
      passTimeUntil("all members are held again", SECONDS, () -> mine.lockedMembers() == NODES);
      passTime(Duration.ofSeconds(3));
    }
    List<HeldCall> silent = List.of(leaving(mine, 0), leaving(mine, 1));

    CompletableFuture<Void> left = lease.releaseAsync();

    passTimeUntil("a majority has released", SECONDS, left::isDone);
    left.join();
    silent.forEach(HeldCall::pass);
    mine.awaitFree();
  }

  @Test
  @Rule("L4")
  void whatWasLostNeedsNoRelease() throws InterruptedException {
    Party mine = party();
    Lease lease = mine.lock.withLease(SECONDS).withMemberTimeout(TIMEOUT).acquire();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    forceOpen(0, 1);
    HeldCall silent = leaving(mine, 2);

    CompletableFuture<Void> left = lease.releaseAsync();

    passTimeUntil("a majority is free", SECONDS, left::isDone);
    left.join();
    silent.pass();
    mine.awaitFree();
  }

  /** The lock may hold those two members, because their replies are missing. */
  @Test
  void whatHasNotBeenAnsweredYetIsNotFree() throws InterruptedException {
    Party mine = party();
    List<HeldCall> late =
        List.of(mine.links.get(0).hold("acquire"), mine.links.get(1).hold("acquire"));
    Lease lease = mine.lock.withMemberTimeout(TIMEOUT).acquire();
    late.forEach(HeldCall::awaitSent);
    HeldCall silent = leaving(mine, 2);

    CompletableFuture<Void> left = lease.releaseAsync();

    for (int i = 0; i < 20; i++) {
      passTime(TIMEOUT.dividedBy(10));
      letCallbacksRun(mine);
      assertFalse(left.isDone());
    }
    silent.pass();
    passTimeUntil("three members have released", SECONDS, left::isDone);
    left.join();
    late.forEach(HeldCall::pass);
    mine.awaitFree();
  }

  @Test
  @Rule("L5")
  void anExtensionDoesNotWaitForSilentMembers() throws InterruptedException {
    Party mine = party();
    try (Lease lease = held(mine)) {
      Duration longer = LEASE.multipliedBy(2);
      List<HeldCall> silent = List.of(renewing(mine, 0), renewing(mine, 1));
      CompletableFuture<Boolean> extended = lease.extendAsync(longer);
      passTimeUntil("a majority is extended", SECONDS, extended::isDone);
      assertTrue(extended.join());
      assertTrue(lease.remaining().compareTo(LEASE) > 0);

      List<HeldCall> more = List.of(renewing(mine, 2), renewing(mine, 3), renewing(mine, 4));
      CompletableFuture<Boolean> unknown = lease.extendAsync(longer);
      passTimeUntil("the timeout of the members is over", TIMEOUT.multipliedBy(5), unknown::isDone);
      assertInstanceOf(OutcomeUnknownException.class, Await.failure(unknown));
      assertTrue(lease.isValid());
      silent.forEach(HeldCall::pass);
      more.forEach(HeldCall::pass);
    }
    mine.awaitFree();
  }

  private static HeldCall renewing(Party mine, int node) {
    return mine.links.get(node).hold("renew");
  }

  /**
   * Acquires every member, and waits until the lock knows it. A member that has not replied by the
   * timeout would be released again.
   */
  private Lease held(Party mine) throws InterruptedException {
    Lease lease = mine.lock.withMemberTimeout(TIMEOUT).acquire();
    passTime(TIMEOUT.multipliedBy(2));
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    return lease;
  }

  /** Waits until all callbacks have run, and those that they submitted. */
  private static void letCallbacksRun(Party mine) {
    for (int i = 0; i < 2; i++) {
      mine.services.get(0).getLock("another").async().tryAcquire().join().orElseThrow().close();
    }
  }

  private static HeldCall leaving(Party mine, int node) {
    return mine.links.get(node).hold("leave");
  }
}
