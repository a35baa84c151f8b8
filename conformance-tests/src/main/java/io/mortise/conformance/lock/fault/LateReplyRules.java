package io.mortise.conformance.lock.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases over a slow link. A late reply gives no hold that the store does not have. */
public abstract class LateReplyRules extends LockRules {
  /** A command may take a third of it, on a busy machine too. */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final List<LeaseState> changes = new CopyOnWriteArrayList<>();
  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected LateReplyRules(LockKit kit) {
    super(kit);
  }

  private DistributedLock linked() {
    return service(link, builder -> builder.leaseTime(LEASE).listener(noting(changes)))
        .getLock(name);
  }

  private static boolean holds(DistributedLock lock, Contender contender) {
    return lock.isHeldByThread(contender.thread().getId());
  }

  @Test
  @Rule({"L1", "L9"})
  void aHoldEndsWithTheLeaseInTheStoreHoweverLateTheReply() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender holder =
        contender(() -> {
          mine.lock(1, TimeUnit.SECONDS);
          return true;
        });
    taking.arrive();
    passTime(SECOND.dividedBy(2));
    taking.reply();
    assertTrue(holder.result());

    passTimeUntil("another thread holds the lock", LEASE.multipliedBy(5), theirs::tryLock);

    assertFalse(holds(mine, holder), "the lease counts from when the command was sent");
    holder.leave(() -> assertThrows(LeaseLostException.class, mine::unlock));
    theirs.unlock();
  }

  @Test
  @Rule({"L1", "L14"})
  void aReplyThatComesAfterTheLeaseGrantsNothing() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    HeldCall taking = link.hold("acquire");
    Contender unlucky = contender(() -> mine.tryLock(0, 300, TimeUnit.MILLISECONDS));
    assertEquals(List.of(1L), taking.arrive());
    passTimeUntil("another thread holds the lock", LEASE.multipliedBy(5), theirs::tryLock);

    HeldCall givingBack = link.hold("leave");
    taking.reply();
    unlucky.awaitRest();

    assertEquals("ABSENT", givingBack.pass().get(0));
    passTimeUntil("the attempt gives up", LEASE.multipliedBy(5), () -> !unlucky.thread().isAlive());
    assertInstanceOf(BackendUnavailableException.class, unlucky.failure());
    assertFalse(lock().tryLock(), "the withdrawal did not end the other's hold");
    theirs.unlock();
  }

  @Test
  @Rule({"L9", "A12"})
  void aRenewalAnsweredAfterTheDeadlineRevivesNothing() {
    DistributedLock mine = linked();
    Contender holder = entering(mine);
    assertTrue(holder.result());
    Contender next =
        contender(() -> {
          mine.lock(1, TimeUnit.MINUTES);
          return true;
        });
    HeldCall renewal = link.hold("renew");
    passTimeUntil("the hold is renewed", LEASE, renewal::isSent);
    assertEquals(List.of(1L), renewal.arrive());

    passTimeUntil("the hold is lost", LEASE.multipliedBy(2), () -> !holds(mine, holder));
    assertTrue(next.result(), "the service releases in the store what it reports lost");
    renewal.reply();

    assertFalse(holds(mine, holder));
    assertTrue(holds(mine, next), "the late reply is not about the next hold");
    holder.leave(() -> {
      assertEquals(LeaseState.LOST, mine.leaseState());
      assertThrows(LeaseLostException.class, mine::unlock);
    });
    next.leave(mine::unlock);
  }

  @Test
  @Rule({"L1", "A5"})
  void anAcquireThatArrivesAgainShortensNoLease() {
    DistributedLock mine = linked();
    HeldCall taking = link.hold("acquire");
    Contender holder =
        contender(() -> {
          mine.lock();
          mine.lock(1, TimeUnit.MINUTES);
          return true;
        });
    taking.pass();
    assertTrue(holder.result());

    assertEquals(List.of(2L), taking.arrive());

    assertTrue(mine.remainTimeToLive() > 50_000);
    holder.leave(() -> {
      mine.unlock();
      mine.unlock();
    });
  }

  @Test
  @Rule({"L1", "A5"})
  void aRenewalThatArrivesLateShortensNoLease() {
    DistributedLock mine = linked();
    mine.lock();
    HeldCall renewal = link.hold("renew");
    passTimeUntil("the hold is renewed", LEASE, renewal::isSent);
    mine.lock(1, TimeUnit.MINUTES);
    link.set("renew", Link.DOWN, Integer.MAX_VALUE);

    assertEquals(List.of(1L), renewal.pass());

    assertTrue(mine.remainTimeToLive() > 50_000);
    passTime(LEASE);
    mine.ensureHeld();
    mine.unlock();
    mine.unlock();
  }

  @Test
  @Rule({"L9", "A13"})
  void aForcedUnlockWhoseMessageIsLostIsReportedByTheNextRenewal() {
    DistributedLock mine = linked();
    mine.lock();
    link.mail().set(Fate.LOST);

    assertTrue(lock().forceUnlock());
    passTimeUntil(
        "the holder knows the loss",
        LEASE.dividedBy(2),
        () -> mine.leaseState() == LeaseState.LOST);

    assertThrows(LeaseLostException.class, mine::unlock);
  }

  @Test
  @Rule({"L8", "L9"})
  void aBackendThatThrowsAtARenewalDoesNotStopTheNext() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    mine.lock();
    link.refuseBatches(1);

    passTimeUntil("the state is HELD again", LEASE, () -> changes.contains(LeaseState.HELD));
    passTime(LEASE);

    assertEquals(LeaseState.SUSPECT, changes.get(0));
    mine.ensureHeld();
    assertFalse(theirs.tryLock());
    mine.unlock();
  }

  @Test
  @Rule({"L10", "L14"})
  void aReleaseThatNeverArrivesCostsTheNextWaiterTheLeaseAtMost() {
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    mine.lock(1, TimeUnit.SECONDS);
    Contender waiter = entering(theirs);
    awaitQueued(1);
    link.set(Link.DOWN);

    mine.unlock();
    assertFalse(waiter.isInside());

    passTimeUntil("the waiter holds the lock", LEASE.multipliedBy(3), waiter::isInside);
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule("L14")
  void aReleaseOfALongLeaseIsTriedForAsLongAsTheLeaseLasts() {
    assumeFalse(backend().time().equals(TimeSource.system()), "needs time that a test can move");
    DistributedLock mine = linked();
    DistributedLock theirs = lock();
    mine.lock(80, TimeUnit.SECONDS);
    link.set(Link.DOWN);
    mine.unlock();

    passTime(Duration.ofSeconds(70)); // longer than the withdrawal of a shorter lease is repeated
    assertFalse(theirs.tryLock());
    link.set(Link.UP);
    passTimeUntil("the lock is free", Duration.ofSeconds(3), theirs::tryLock);

    theirs.unlock();
  }
}
