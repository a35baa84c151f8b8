package io.mortise.conformance.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The majority's lock: what no answer may hide or revive, and who is not waited for at the end. */
@Rule("L16")
abstract class RedLossRules extends RedParties {
  private static final Duration TIMEOUT = Duration.ofMillis(200);

  RedLossRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L9")
  void aMemberThatCameBackDoesNotHideALoss() {
    Party mine = new Party(Duration.ofSeconds(5));
    mine.lock.lock();
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    forceOpen(0, 1);
    passTimeUntil("they are taken again", SECONDS, () -> mine.lockedMembers() == NODES);

    forceOpen(2); // before the next look at the others

    Await.until("it is lost", () -> mine.lock.leaseState() == LeaseState.LOST);
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    mine.awaitFree();
  }

  @Test
  @Rule("L9")
  void aLateAnswerDoesNotReviveWhatWasLost() {
    Party mine = party();
    HeldCall late = mine.links.get(0).hold("acquire");
    HeldCall later = mine.links.get(1).hold("acquire");
    assertTrue(mine.lock.withMemberTimeout(SECONDS).tryLock(), "three have answered");
    late.awaitSent();
    later.awaitSent();
    forceOpen(2);
    Await.until("it is lost", () -> mine.lock.leaseState() == LeaseState.LOST);

    late.pass();
    later.pass();

    mine.awaitFree();
    assertEquals(LeaseState.LOST, mine.lock.leaseState());
    assertThrows(LeaseLostException.class, mine.lock::unlock);
  }

  @Test
  @Rule("L4")
  void whoDoesNotAnswerTheReleaseIsNotWaitedFor() throws InterruptedException {
    Party mine = party();
    Lease lease = held(mine);
    List<HeldCall> silent = List.of(leaving(mine, 0), leaving(mine, 1));

    CompletableFuture<Void> left = lease.releaseAsync();

    passTimeUntil("a majority has released", SECONDS, left::isDone);
    left.join();
    silent.forEach(HeldCall::pass);
    mine.awaitFree();
  }

  /** Three members are held, so two are free already. */
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
      assertFalse(left.isDone());
    }
    silent.forEach(HeldCall::pass);
    Await.until("all have released", left::isDone);
    left.join();
    mine.awaitFree();
  }

  /** Held on every member, and known to be: who has not answered by the timeout is given back. */
  private Lease held(Party mine) throws InterruptedException {
    Lease lease = mine.lock.withMemberTimeout(TIMEOUT).acquire();
    passTime(TIMEOUT.multipliedBy(2));
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    return lease;
  }

  private static HeldCall leaving(Party mine, int node) {
    return mine.links.get(node).hold("leave");
  }
}
