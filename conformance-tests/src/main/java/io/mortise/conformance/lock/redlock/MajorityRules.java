package io.mortise.conformance.lock.redlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.DistributedReadWriteLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.MultiLock;
import io.mortise.QuorumException;
import io.mortise.QuorumException.Answer;
import io.mortise.RedLock;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The Redlock: majority, waiting, renewal and loss. */
@Rule("L16")
public abstract class MajorityRules extends MajorityFixture {
  protected MajorityRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule("L1")
  void theHolderKeepsOthersOutAndItsReleaseFreesEveryMember() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    assertTrue(mine.lock.isHeldByCurrentThread());
    Await.until("every member is held", () -> mine.lockedMembers() == NODES);
    assertFalse(theirs.lock.tryLock());
    CompletableFuture<Optional<Lease>> timed = theirs.lock.async().tryAcquire(SECOND);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertEquals(Optional.empty(), timed.join());
    mine.lock.unlock();
    mine.awaitFree();
    assertTrue(theirs.lock.tryLock());
    theirs.lock.unlock();
    theirs.awaitFree();
  }

  @Test
  @Rule({"L2", "L3"})
  void itIsReentrantAndTheThreads() {
    Party mine = party();
    RedLock lock = mine.lock;
    String message =
        String.valueOf(assertThrows(IllegalMonitorStateException.class, lock::unlock).getMessage());
    assertTrue(message.contains("check whether tryLock() returned false"), message);
    lock.lock();
    lock.lock();
    assertTrue(
        RedLock.of(mine.members.toArray(DistributedLock[]::new)).tryLock(),
        "the same members are the same lock");
    assertEquals(3, lock.getHoldCount());
    assertTrue(lock.isHeldByThread(Thread.currentThread().getId()));
    Contender other = contender(lock::tryLock);
    assertFalse(other.result());
    lock.unlock();
    lock.unlock();
    assertEquals(LeaseState.HELD, lock.leaseState());
    lock.ensureHeld();
    lock.unlock();
    assertEquals(LeaseState.RELEASED, lock.leaseState());
    assertThrows(IllegalMonitorStateException.class, lock::ensureHeld);
    mine.awaitFree();
  }

  @Test
  @Rule("W13")
  void twoNodesDownAreBorneAndThreeAreReported() {
    Party mine = party();
    mine.cut(0, 3);
    assertTrue(mine.lock.tryLock());
    assertTrue(mine.lock.isHeldByCurrentThread());
    mine.lock.unlock();

    mine.cut(0, 1, 3);
    QuorumException told = assertThrows(QuorumException.class, mine.lock::tryLock);
    assertEquals(3, told.verdicts().stream().filter(v -> v.answer() == Answer.UNREACHABLE).count());
    assertThrows(QuorumException.class, mine.lock::lock);
    CompletableFuture<Optional<Lease>> timed = mine.lock.async().tryAcquire(SECOND);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertInstanceOf(
        QuorumException.class, assertThrows(CompletionException.class, timed::join).getCause());
    mine.mend(0, 1, 3);
    mine.awaitFree();
  }

  /** Whatever the order of the answers: two others say no before the rest of them comes. */
  @Test
  @Rule("W13")
  void aMajorityThatIsAwayIsReportedAlsoIfTheOthersAreBusy() {
    Party mine = party();
    Party theirs = party();
    theirs.members.get(0).lock();
    theirs.members.get(4).lock();
    mine.cut(1, 2, 3);

    QuorumException told = assertThrows(QuorumException.class, mine.lock::tryLock);
    assertEquals(3, told.verdicts().stream().filter(v -> v.answer() == Answer.UNREACHABLE).count());
    CompletableFuture<Optional<Lease>> timed = mine.lock.async().tryAcquire(SECOND);
    passTimeUntil("the attempt's time is over", SECONDS, timed::isDone);
    assertInstanceOf(
        QuorumException.class, assertThrows(CompletionException.class, timed::join).getCause());

    mine.mend(1);
    assertFalse(mine.lock.tryLock()); // a majority has answered
    mine.mend(2, 3);
    theirs.members.get(0).unlock();
    theirs.members.get(4).unlock();
    mine.awaitFree();
  }

  @Test
  void aNodeThatDoesNotAnswerIsNotWaitedFor() {
    Party mine = party();
    HeldCall hung = mine.links.get(0).hold("acquire");
    HeldCall hungToo = mine.links.get(1).hold("acquire");
    RedLock lock = mine.lock.withMemberTimeout(SECONDS);
    assertTrue(lock.tryLock(), "three members have replied");
    hung.awaitSent();
    hungToo.awaitSent();
    hung.pass();
    Await.until("a late reply counts", () -> mine.lockedMembers() == NODES - 1);
    lock.unlock();
    hungToo.arrive();
    hungToo.lose();
    mine.awaitFree();
  }

  @Test
  void aNodeThatIsTooSlowIsLeftOutAndWhatItTakesLateIsGivenBack() {
    Party mine = party();
    List<HeldCall> hung = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      hung.add(mine.links.get(i).hold("acquire"));
    }
    Contender slow = contender(mine.lock.withMemberTimeout(Duration.ofMillis(200))::tryLock);
    hung.forEach(HeldCall::awaitSent);
    passTime(Duration.ofMillis(250));
    QuorumException told = assertInstanceOf(QuorumException.class, slow.failure());
    assertEquals(3, told.verdicts().stream().filter(v -> v.answer() == Answer.TOO_SLOW).count());
    hung.forEach(HeldCall::arrive);
    mine.awaitFree();
  }

  @Test
  @Rule("L10")
  void aWaiterHasTheLockSoonAfterTheRelease() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Contender waiter = contender(locking(theirs.lock));
    passTime(SECOND);
    mine.lock.unlock();
    passTimeUntil("the waiter holds the lock", SECONDS, waiter::isInside);
    waiter.leave(theirs.lock::unlock);
    theirs.awaitFree();
  }

  private static Contender.Way locking(RedLock lock) {
    return () -> {
      lock.lock();
      return true;
    };
  }

  @Test
  @Rule({"L4", "L15"})
  void aWaiterThatGivesUpLeavesNothingBehind() {
    Party mine = party();
    Party theirs = party();
    mine.lock.lock();
    Contender interrupted =
        contender(() -> {
          theirs.lock.lockInterruptibly();
          return true;
        });
    CompletableFuture<Lease> cancelled = theirs.lock.async().acquire();
    Await.until("the threads wait", () -> waiting() >= 2);
    interrupted.interrupt();
    assertInstanceOf(InterruptedException.class, interrupted.failure());
    cancelled.cancel(false);
    Await.until("no thread waits", () -> waiting() == 0);
    mine.lock.unlock();
    mine.awaitFree();
  }

  @Test
  @Rule("L8")
  void itIsRenewedAndSurvivesTwoLossesButNotThree() {
    Party mine = new Party(Duration.ofSeconds(3));
    List<LeaseState> told = Collections.synchronizedList(new ArrayList<>());
    mine.lock.onLeaseChange(event -> told.add(event.state()));
    mine.lock.lock();
    passTime(Duration.ofSeconds(4));
    mine.lock.ensureHeld();

    mine.cut(0, 1, 2, 3, 4);
    forceOpen(0, 1);
    assertTrue(mine.lock.isHeldByCurrentThread(), "the lock is held without renewals");
    forceOpen(2);

    Await.until("the hold is lost", () -> mine.lock.leaseState() == LeaseState.LOST);
    Await.until("the loss is reported", () -> told.contains(LeaseState.LOST));
    assertThrows(LeaseLostException.class, mine.lock::ensureHeld);
    mine.mend(0, 1, 2, 3, 4);
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    mine.awaitFree();
  }

  @Test
  @Rule("L8")
  void aMemberThatWasLostIsTakenAgainAndCountsLater() {
    Party mine = new Party(Duration.ofSeconds(3));
    mine.lock.lock();
    mine.awaitAllCount();
    forceOpen(0, 1);
    passTimeUntil("all members are held again", SECONDS, () -> mine.lockedMembers() == NODES);
    passTime(Duration.ofSeconds(3));
    forceOpen(2, 3);
    assertEquals(
        LeaseState.HELD, mine.lock.leaseState(), "the members that were acquired again count");
    mine.lock.unlock();
    mine.awaitFree();
  }

  @Test
  @Rule({"L7", "L9"})
  void aFixedLeaseEndsEarlierThanItsMembers() throws InterruptedException {
    Party mine = party();
    try (Lease lease = mine.lock.withLease(SECONDS).acquire()) {
      assertTrue(lease.remaining().compareTo(SECONDS.minus(SECONDS.dividedBy(100))) < 0);
    }
    mine.lock.lock(2, TimeUnit.SECONDS);
    passTimeUntil(
        "the lease ends", SECONDS.multipliedBy(2), () -> !mine.lock.isHeldByCurrentThread());
    assertThrows(LeaseLostException.class, mine.lock::unlock);
    mine.awaitFree();
  }

  @Test
  void badMembersAreRefused() {
    DistributedLock one = lock();
    MultiLock multi = MultiLock.of(one);
    assertThrows(IllegalArgumentException.class, RedLock::of);
    assertThrows(IllegalArgumentException.class, () -> RedLock.of(one, one.withLease(SECOND)));
    assertThrows(IllegalArgumentException.class, () -> RedLock.of(one, multi));
    String oneLock =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> RedLock.of(one, lock(), lock()))
                .getMessage());
    assertTrue(oneLock.contains(name), oneLock);
    assertTrue(oneLock.matches(".* (is in the Redlock twice|are in one cluster) .*"), oneLock);
    DistributedReadWriteLock both = service().getReadWriteLock(name);
    assertThrows(
        IllegalArgumentException.class, () -> RedLock.of(both.readLock(), both.writeLock(), one));
    RedLock alone = RedLock.of(one);
    assertThrows(IllegalArgumentException.class, () -> alone.withMemberTimeout(Duration.ZERO));
    assertThrows(IllegalArgumentException.class, () -> alone.withMemberTimeout(LEASE));
    assertTrue(alone.tryLock());
    alone.unlock();
  }

  @Test
  @Rule("W18")
  void itsLeasesAreValues() throws InterruptedException {
    Party mine = party();
    List<LeaseChange> lost = Collections.synchronizedList(new ArrayList<>());
    try (Lease lease = mine.lock.acquire().onLost(lost::add)) {
      assertTrue(mine.lock.tryAcquire(Duration.ZERO).isEmpty());
      assertTrue(lease.remaining().compareTo(LEASE.minus(LEASE.dividedBy(100))) < 0);
      assertTrue(lease.extend(Duration.ofSeconds(60)));
      assertTrue(lease.remaining().compareTo(LEASE) > 0);
    }
    assertEquals(List.of(), lost);
    mine.awaitFree();
    mine.lock.lock();
    assertThrows(IllegalStateException.class, mine.lock::acquire);
    mine.lock.unlock();
  }

  /** The lock asks each server once for its identity, only to log a warning. */
  @Test
  @Rule("L15")
  void aServerThatCannotBeIdentifiedKeepsNobodyOut() {
    Party mine = party();
    mine.links
        .get(2)
        .send(call -> {
          if (call.script().name().equals("identify")) {
            throw new IllegalStateException("the test made this call fail");
          }
          return call;
        });

    mine.lock.lock();

    mine.lock.unlock();
    mine.awaitFree();
  }
}
