package io.mortise.conformance.lock.granting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.HeldCall;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Wanted;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Grants in a reply: the release of one thread grants the lock to another thread of its service.
 */
public abstract class GrantInReplyRules extends LockRules {
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration RECHECK = Duration.ofMillis(2500);

  private final FaultyBackend link = new FaultyBackend(this::backend);

  protected GrantInReplyRules(LockKit kit) {
    super(kit);
  }

  private LockService linked() {
    return service(link, builder -> builder.leaseTime(LEASE));
  }

  private Contender waiting(Wanted side, DistributedLock lock) {
    Contender waiter = entering(lock);
    Await.until("the thread is in the queue", () -> isWaiting(side));
    return waiter;
  }

  private boolean isWaiting(Wanted side) {
    return areWaiting(side, 1);
  }

  private boolean areWaiting(Wanted side, long waiting) {
    return sizeOf(side.queue(name)) == waiting;
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L10", "L19", "Q5"})
  void aGrantInAReplyNeedsNoCommandOfTheWaiter(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    Contender waiter = waiting(side, wanted);
    link.set(side.script("acquire"), Link.DOWN, 100);

    held.unlock();

    assertTrue(waiter.result());
    waiter.leave(wanted::unlock);
    assertFalse(held.isLocked());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L10", "Q5"})
  void aWaiterGrantedInALostReplyAsksAndHoldsTheLock(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    Contender waiter = waiting(side, wanted);
    link.set(side.script("leave"), Link.REPLY_LOST, 1);

    held.unlock();

    assertTrue(wanted.isLocked(), "the store has granted the lock");
    passTimeUntil("the waiter asks", SECOND.dividedBy(2), waiter::isInside);
    waiter.leave(wanted::unlock);
    assertFalse(held.isLocked());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L10", "A6", "Q5"})
  void aGrantToAWaiterThatHasGivenUpIsReleasedAtOnce(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    Contender quitter =
        contender(() -> {
          wanted.lockInterruptibly();
          return true;
        });
    Await.until("the thread is in the queue", () -> isWaiting(side));
    HeldCall leaving = link.hold(side.script("leave"));
    quitter.interrupt();
    leaving.awaitSent();

    held.unlock(); // its reply grants to the thread that is about to leave

    Await.until("the lock is free again", () -> !wanted.isLocked());
    leaving.pass();
    assertTrue(quitter.failure() instanceof InterruptedException);
    assertTrue(held.tryLock());
    held.unlock();
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L1", "L9", "Q5"})
  void aGrantInAReplyCountsItsLeaseFromBeforeTheRelease(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    HeldCall giving = link.hold(side.script("leave"));
    Contender holder = entering(held);
    assertTrue(holder.result());
    Contender waiter = waiting(side, wanted);
    holder.startLeaving(held::unlock);
    giving.arrive();
    passTime(SECOND);
    link.set(Link.DOWN);
    giving.reply();
    holder.awaitLeft();
    Await.until("the waiter holds the lock", waiter::isInside);

    passTime(LEASE.minus(SECOND).plusMillis(50));

    assertFalse(wanted.isHeldByThread(waiter.thread().getId()));
    link.set(Link.UP);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L10", "Q5"})
  void aWaiterWithAPendingCommandHoldsTheLockAfterItsReply(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    held.lock();
    HeldCall asking = link.hold(side.script("acquire"));
    Contender waiter = entering(wanted);
    assertEquals("WAIT", asking.arrive().get(0));

    held.unlock(); // its reply grants to the thread that does not know yet that it waits
    assertFalse(waiter.isInside());
    asking.reply();

    assertTrue(waiter.result());
    waiter.leave(wanted::unlock);
    assertFalse(held.isLocked());
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L1", "Q5"})
  void aGrantThatWasRevokedBeforeItsReplyGivesNoHold(Wanted side) {
    assertStaysOutside(side, Fate.COMES, SECOND.dividedBy(2));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L1", "Q5"})
  void aLateReplyGrantsNothingToAWaiterThatHasAskedSince(Wanted side) {
    assertStaysOutside(side, Fate.LOST, RECHECK);
  }

  /**
   * The sequence: a reply grants the lock to a waiter, but it is late. The grant is revoked,
   * another thread acquires the lock, the waiter asks again, and then the reply comes.
   */
  private void assertStaysOutside(Wanted side, Fate messages, Duration asksWithin) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    DistributedLock wanted = side.of(service, name);
    HeldCall giving = link.hold(side.script("leave"));
    Contender holder = entering(held);
    assertTrue(holder.result());
    Contender waiter = waiting(side, wanted);
    LockService others = service();
    DistributedLock other = side.against(others, name);
    Contender next = entering(other);
    Await.until("the next thread waits too", () -> areWaiting(side, 2));
    holder.startLeaving(held::unlock);
    giving.arrive();
    passTime(SECOND.dividedBy(10));
    link.mail().set(messages);
    assertTrue(side.of(others, name).forceUnlock());
    assertTrue(next.result());
    passTimeUntil("the waiter asks", asksWithin, () -> isWaiting(side));

    giving.reply();

    holder.awaitLeft();
    waiter.awaitRest();
    assertFalse(waiter.isInside(), "two threads hold the lock");
    link.mail().set(Fate.COMES);
    next.leave(other::unlock);
    assertTrue(waiter.result());
    waiter.leave(wanted::unlock);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PLAIN")
  @Rule({"L9", "Q5"})
  void aFixedLeaseIsNotMadeLonger(Wanted side) {
    LockService service = linked();
    DistributedLock held = side.against(service, name);
    Duration fixed = Duration.ofSeconds(4); // longer than a grant window
    DistributedLock wanted = side.of(service, name).withLease(fixed);
    held.lock();
    Contender waiter = waiting(side, wanted);

    held.unlock();

    assertTrue(waiter.result());
    long left = wanted.remainTimeToLive();
    assertTrue(left > 0 && left <= fixed.toMillis(), left + " ms left in the store");
    waiter.leave(wanted::unlock);
  }
}
