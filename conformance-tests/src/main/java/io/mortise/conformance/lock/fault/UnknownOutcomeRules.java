package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Commands whose reply is lost, or that arrive late or twice. A withdrawn acquisition is undone
 * once, and never acquires the lock later. The lease is long, so no lock is free because a lease
 * ended.
 */
public abstract class UnknownOutcomeRules extends LockRules {
  private static final Duration LEASE = Duration.ofHours(1);
  private static final Duration SECONDS = Duration.ofSeconds(10);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected UnknownOutcomeRules(LockKit kit) {
    super(kit);
  }

  private LockService linkedService() {
    return service(link, builder -> builder.leaseTime(LEASE));
  }

  private DistributedLock linked() {
    return linkedService().getLock(name);
  }

  /** The withdrawal arrives first, and then the acquire that it withdraws. */
  private void assertRefused(HeldCall late, HeldCall withdrawal) {
    withdrawal.awaitSent();
    withdrawal.pass();
    assertEquals(List.of("TOO_LATE"), late.arrive());
    assertFalse(lock().isLocked());
  }

  @Test
  @Rule({"L10", "L14"})
  void aLockWhoseReplyIsLostGoesToTheNextWaiterAtOnce() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender unlucky = contender(mine::tryLock);
    taking.arrive();
    Contender waiter = entering(theirs);
    awaitQueued(1);

    taking.lose();

    assertInstanceOf(OutcomeUnknownException.class, unlucky.failure());
    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L10", "L14"})
  void anUnlockWhoseReplyIsLostGrantsToOneWaiterAndIsRepeatedInVain() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall leaving = link.hold("leave");
    HeldCall again = link.hold("leave");
    Contender unlucky =
        contender(() -> {
          mine.lock();
          mine.unlock();
          return false;
        });
    leaving.awaitSent();
    Contender waiter = entering(theirs);
    awaitQueued(1);

    leaving.arrive();
    assertTrue(waiter.result(), "the waiter need not wait for the reply to the unlock");
    leaving.lose();

    assertFalse(unlucky.result());
    assertEquals("ABSENT", again.pass().get(0));
    assertFalse(lock().tryLock(), "the second release touched nothing");
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule({"L14", "A4"})
  void anAcquireThatArrivesAfterItsWithdrawalIsRefused() {
    DistributedLock mine = linked();
    HeldCall late = link.hold("acquire");
    HeldCall withdrawal = link.hold("leave");
    Contender unlucky = contender(mine::tryLock);

    late.lose();

    assertInstanceOf(OutcomeUnknownException.class, unlucky.failure());
    assertRefused(late, withdrawal);
  }

  @Test
  @Rule({"L14", "A4"})
  void anAnswerToTheNextAttemptDoesNotMakeTheFirstHarmless() {
    DistributedLock theirs = lock();
    theirs.lock();
    DistributedLock mine = linked();
    HeldCall late = link.hold("acquire");
    HeldCall withdrawal = link.hold("leave");
    Contender unlucky = contender(() -> mine.tryLock(1, TimeUnit.SECONDS));

    late.lose();
    unlucky.awaitRest();
    passTimeUntil("the waiter is in the queue", SECONDS, () -> isQueued(1));
    unlucky.awaitRest();
    passTimeUntil("the attempt's time is over", SECONDS, withdrawal::isSent);
    theirs.unlock();

    assertRefused(late, withdrawal);
    assertFalse(unlucky.result());
  }

  @Test
  @Rule({"L14", "A4"})
  void anAcquireThatArrivesAfterTheUnlockIsRefused() {
    DistributedLock mine = linked();
    HeldCall late = link.hold("acquire");
    Contender holder = entering(mine);

    late.lose();
    holder.awaitRest();
    passTimeUntil("the next attempt holds the lock", SECONDS, holder::isInside);
    holder.leave(mine::unlock);

    assertEquals(List.of("TOO_LATE"), late.arrive());
    assertFalse(lock().isLocked());
  }

  @Test
  @Rule({"L4", "L14", "W4"})
  void aCommandGivenUpNeverRunsLater() {
    DistributedLock mine = linked();
    HeldCall late = link.hold("acquire");
    HeldCall withdrawal = link.hold("leave");
    Contender unlucky =
        contender(() -> {
          mine.lockInterruptibly();
          return true;
        });
    late.awaitSent();

    unlucky.interrupt();
    late.lose();

    assertInstanceOf(InterruptedException.class, unlucky.failure());
    assertRefused(late, withdrawal);
  }

  @Test
  @Rule({"L14", "W4"})
  void anAcquireThatArrivesTwiceNeedsOneUnlock() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender holder = entering(mine);

    taking.arrive();
    taking.pass();

    assertTrue(holder.result());
    assertFalse(theirs.tryLock());
    holder.leave(mine::unlock);
    assertTrue(theirs.tryLock());
    theirs.unlock();
  }

  @Test
  @Rule({"L10", "L14"})
  void aConnectionCutWhileALockIsTakenIsMendedByTheSameId() {
    DistributedLock theirs = lock();
    theirs.lock();
    DistributedLock mine = linked();
    Contender waiter = entering(mine);
    awaitQueued(1);
    HeldCall claim = link.hold("acquire");

    theirs.unlock();
    assertEquals(List.of(2L), claim.arrive());
    link.set(Link.DOWN);
    link.mail().cut();
    claim.lose();
    waiter.awaitRest();
    passTime(Duration.ofMillis(500));
    assertFalse(waiter.isInside());
    link.set(Link.UP);
    link.mail().join();
    passTimeUntil("the waiter holds what the store had granted", SECONDS, waiter::isInside);

    waiter.leave(mine::unlock);
    assertTrue(theirs.tryLock(), "one unlock was enough");
    theirs.unlock();
  }

  @Test
  @Rule({"L14", "L15"})
  void closingDuringAnAcquireLeavesNothingHeld() {
    LockService closing = linkedService();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender unlucky = entering(closing.getLock(name));
    assertEquals(List.of(1L), taking.arrive());

    closing.close();

    assertTrue(theirs.tryLock(), "the closed service withdrew the acquisition that has no reply");
    taking.reply();
    unlucky.awaitRest();
    passTimeUntil("the thread has ended", SECONDS, () -> !unlucky.thread().isAlive());
    assertInstanceOf(LockServiceClosedException.class, unlucky.failure());
    assertFalse(lock().tryLock(), "the withdrawal did not end another's hold");
    theirs.unlock();
  }

  @Test
  @Rule({"L14", "L15", "A4"})
  void anAcquireThatArrivesAfterTheCloseIsRefused() {
    LockService closing = linkedService();
    HeldCall late = link.hold("acquire");
    Contender unlucky = entering(closing.getLock(name));
    late.awaitSent();

    closing.close();

    assertEquals(List.of("TOO_LATE"), late.arrive());
    late.reply();
    assertInstanceOf(LockServiceClosedException.class, unlucky.failure());
    assertFalse(lock().isLocked());
  }
}
