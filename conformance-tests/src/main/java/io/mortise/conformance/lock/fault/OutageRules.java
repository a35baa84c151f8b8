package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.OutcomeUnknownException;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store out of reach, and commands of unknown outcome. */
public abstract class OutageRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration LEASE_OF_A_DAY = Duration.ofDays(1);

  private final List<LeaseState> changes = new CopyOnWriteArrayList<>();
  private final FaultyBackend link;

  protected OutageRules(LockKit kit) {
    super(kit);
    link = new FaultyBackend(this::backend);
  }

  /** A lock whose service reaches the store through the link. */
  private DistributedLock linked() {
    return service(link, builder -> builder.leaseTime(LEASE).listener(noting(changes)))
        .getLock(name);
  }

  @Test
  @Rule("L5")
  void withTheStoreDownNoAttemptReportsAnotherHolder() {
    DistributedLock mine = linked();
    link.set(Link.DOWN);

    BackendUnavailableException e = assertThrows(BackendUnavailableException.class, mine::lock);
    assertTrue(String.valueOf(e.getMessage()).contains(name), e.getMessage());
    assertThrows(BackendUnavailableException.class, mine::lockInterruptibly);
    assertThrows(BackendUnavailableException.class, mine::tryLock);
    assertThrows(BackendUnavailableException.class, mine::isLocked);

    link.set(Link.UP);
    assertTrue(mine.tryLock());
    mine.unlock();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UP")
  @Rule("L18")
  void aServiceThatCannotBeOpenedIsUnavailableHoweverItFailed(Link how) {
    for (String what : List.of("check", FaultyBackend.SUBSCRIBE)) {
      link.set(what, how, 1);
      LockException e =
          assertThrows(LockException.class, LockService.builder().sharedBackend(link)::open);
      assertInstanceOf(BackendUnavailableException.class, e, what);
      assertInstanceOf(BackendException.class, e.getCause(), what);
    }

    assertTrue(linked().tryLock());
  }

  @Test
  @Rule("L5")
  void aTimedAttemptTriesUntilItsDeadlineAndThenThrows() {
    DistributedLock mine = linked();
    link.set(Link.DOWN);
    Contender first = contender(() -> mine.tryLock(2, TimeUnit.SECONDS));
    Contender behindIt = contender(() -> mine.tryLock(1, TimeUnit.SECONDS));

    passTime(Duration.ofMillis(500));
    assertTrue(first.thread().isAlive());
    passTimeUntil(
        "the attempt's time is over", LEASE.multipliedBy(5), () -> !first.thread().isAlive());

    assertInstanceOf(BackendUnavailableException.class, first.failure());
    assertInstanceOf(BackendUnavailableException.class, behindIt.failure());
  }

  @Test
  @Rule("L5")
  void whenTheStoreIsBackAnAttemptThatEndsInVainIsFalseAgain() {
    DistributedLock theirs = lock();
    DistributedLock mine = linked();
    link.set(Link.DOWN);
    Contender first = contender(() -> mine.tryLock(1, TimeUnit.SECONDS));
    Contender second = contender(() -> mine.tryLock(1, TimeUnit.HOURS));
    passTimeUntil(
        "the attempt's time is over", LEASE.multipliedBy(5), () -> !first.thread().isAlive());
    assertInstanceOf(BackendUnavailableException.class, first.failure());
    theirs.lock();

    link.set(Link.UP);
    passTime(LEASE); // the second has asked by now, and waits in the queue
    Contender third = contender(() -> mine.tryLock(1, TimeUnit.SECONDS));
    passTimeUntil(
        "the attempt's time is over", LEASE.multipliedBy(5), () -> !third.thread().isAlive());

    assertFalse(third.result());
    second.interrupt();
    assertInstanceOf(InterruptedException.class, second.failure());
    theirs.unlock();
  }

  @Test
  @Rule("L5")
  void aTimedAttemptGetsTheLockOfAStoreThatComesBackInTime() {
    DistributedLock mine = linked();
    link.set(Link.DOWN);
    Contender waiter = contender(() -> mine.tryLock(1, TimeUnit.HOURS));
    passTime(Duration.ofMillis(300));

    link.set(Link.UP);
    passTimeUntil("the thread holds the lock", LEASE.multipliedBy(5), waiter::isInside);

    assertTrue(waiter.result());
    waiter.leave(mine::unlock);
  }

  @Test
  @Rule({"L14", "W4"})
  void aLockWhoseReplyIsLostIsAskedForAgainWithTheSameId() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    link.set(Link.REPLY_LOST, 1);
    Contender holder =
        contender(() -> {
          mine.lock();
          return true;
        });

    passTimeUntil("the thread holds the lock", LEASE.multipliedBy(5), holder::isInside);

    assertTrue(holder.result());
    assertFalse(theirs.tryLock());
    holder.leave(mine::unlock);
    assertTrue(theirs.tryLock(), "one unlock was enough");
    theirs.unlock();
  }

  @Test
  @Rule("L14")
  void anAttemptOfUnknownOutcomeSaysSoAndIsWithdrawn() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    link.set(Link.REPLY_LOST, 1);

    assertThrows(OutcomeUnknownException.class, mine::tryLock);

    assertFalse(mine.isHeldByCurrentThread());
    passTimeUntil("the lock is free before its lease ends", LEASE.dividedBy(2), theirs::tryLock);
    theirs.unlock();
  }

  @Test
  @Rule("L14")
  void anUnlockWhoseReplyIsLostHasReleased() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    mine.lock();
    link.set(Link.REPLY_LOST, 1);

    mine.unlock();

    assertEquals(LeaseState.RELEASED, mine.leaseState());
    assertTrue(theirs.tryLock());
    theirs.unlock();
  }

  @Test
  @Rule("L14")
  void anUnlockThatDoesNotGetThroughGoesOnInTheBackground() {
    DistributedLock mine = service(LEASE_OF_A_DAY, link).getLock(name);
    DistributedLock theirs = lock();
    mine.lock();
    link.set(Link.DOWN);

    mine.unlock();
    assertFalse(theirs.tryLock());
    link.set(Link.UP);

    passTimeUntil("the lock is free", Duration.ofSeconds(10), theirs::tryLock);
    theirs.unlock();
  }

  private LockService service(Duration lease, FaultyBackend through) {
    LockService service = LockService.builder().backend(through).leaseTime(lease).open();
    closeLater(service);
    return service;
  }

  @Test
  @Rule({"L8", "L9"})
  void aFailedRenewalIsSuspectAndTheNextMakesItSafeAgain() {
    DistributedLock mine = linked();
    mine.lock();
    link.set(Link.REQUEST_LOST, 1);

    passTimeUntil("the hold is renewed again", LEASE, () -> changes.contains(LeaseState.HELD));

    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.HELD), changes);
    assertEquals(LeaseState.HELD, mine.leaseState());
    mine.unlock();
  }

  @Test
  @Rule("L9")
  void aHoldThatCannotBeRenewedIsLostAtItsDeadlineAndNotRevived() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    mine.lock();
    link.set(Link.DOWN);

    passTimeUntil(
        "the hold is lost", LEASE.multipliedBy(2), () -> mine.leaseState() == LeaseState.LOST);
    link.set(Link.UP);

    Await.until("the listener got the loss", () -> changes.contains(LeaseState.LOST));
    assertEquals(List.of(LeaseState.SUSPECT, LeaseState.LOST), changes);
    passTimeUntil("another thread holds the lock", LEASE.multipliedBy(2), theirs::tryLock);
    assertThrows(LeaseLostException.class, mine::ensureHeld);
    assertThrows(LeaseLostException.class, mine::unlock);
    assertTrue(theirs.isHeldByCurrentThread());
    theirs.unlock();
  }

  @Test
  @Rule({"L10", "L11"})
  void aWaiterRidesOutAnOutage() {
    DistributedLock theirs = lock();
    theirs.lock();
    DistributedLock mine = service(LEASE_OF_A_DAY, link).getLock(name);
    Contender waiter =
        contender(() -> {
          mine.lock();
          return true;
        });

    link.set(Link.DOWN);
    passTime(Duration.ofSeconds(3));
    assertTrue(waiter.thread().isAlive());
    theirs.unlock();
    link.set(Link.UP);
    passTimeUntil("the thread holds the lock", Duration.ofSeconds(10), waiter::isInside);

    assertTrue(waiter.result());
    waiter.leave(mine::unlock);
  }
}
