package io.mortise.conformance.lock.exclusive;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.FaultyMail.Fate;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.lock.fixture.Wanted;
import io.mortise.conformance.support.Await;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A service that starts on the message of a grant. What may it do before the store has confirmed
 * the grant, and for how long?
 */
public abstract class StartOnGrantRules extends LockRules {
  /** A thirtieth of it is longer than a grant. */
  private static final Duration LEASE = Duration.ofHours(1);

  private static final Duration CONFIRMED = Duration.ofMillis(1500);
  private static final Duration MOMENT = Duration.ofMillis(300);

  /** So long after its acquisition a hold may go on to another thread of the service. */
  private static final Duration HAND_OFF_TIME = Duration.ofMillis(10);

  private final FaultyBackend link = new FaultyBackend(this::backend);
  private final LockService mine = service();
  private final LockService theirs =
      service(link, builder -> builder.startOnGrant(true).leaseTime(LEASE));

  protected StartOnGrantRules(LockKit kit) {
    super(ofSingleServer(kit));
  }

  /** A thread of {@code theirs} that waits while the calling thread holds the lock. */
  private Contender waiting(DistributedLock wanted, Wanted side) {
    Contender waiter = entering(wanted);
    Await.until("the thread is in the queue", () -> isWaiting(side));
    return waiter;
  }

  private boolean isWaiting(Wanted side) {
    String count = "return {redis.call('ZCARD', KEYS[1])}";
    return runOn(side.queue(name), count).equals(List.of(1L));
  }

  private static boolean holds(DistributedLock lock, Contender contender) {
    return lock.isHeldByThread(contender.thread().getId());
  }

  private void assertStaysOutside(Contender waiter) {
    passTime(MOMENT);
    waiter.awaitRest();
    assertFalse(waiter.isInside());
  }

  /** Asserts that the waiter acquires the lock when it can reach the store again. */
  private void assertComesIn(Contender waiter, DistributedLock wanted) {
    link.set(Link.UP);
    passTimeUntil("the waiter holds the lock", Duration.ofSeconds(3), waiter::isInside);
    waiter.leave(wanted::unlock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L10"})
  void aGrantsMessageGivesTheHoldAndTheConfirmationFollows(Wanted side) {
    DistributedLock held = side.against(mine, name);
    DistributedLock wanted = side.of(theirs, name);
    held.lock();
    Contender waiter = waiting(wanted, side);
    link.set(Link.DOWN);

    held.unlock();

    assertTrue(waiter.result());
    link.set(Link.UP);
    passTime(CONFIRMED);
    long left = wanted.remainTimeToLive();
    assertTrue(left > 10_000, "a whole lease, not " + left + " ms");
    Duration patience = link.last("renew").timeout();
    assertTrue(patience.compareTo(SECOND.dividedBy(2)) <= 0, "no second try in " + patience);
    waiter.leave(wanted::unlock);
    assertFalse(wanted.isLocked());
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L1", "L9"})
  void whatIsNotConfirmedEndsWithItsGrantHoweverLateTheMessage(Wanted side) {
    DistributedLock held = side.against(mine, name);
    DistributedLock wanted = side.of(theirs, name);
    held.lock();
    Contender waiter = waiting(wanted, side);
    link.set(Link.DOWN);
    link.mail().set(Fate.LATE);
    held.unlock();
    passTime(SECOND);
    link.mail().deliver();
    assertTrue(waiter.result());

    passTimeUntil("the grant window is over", Duration.ofSeconds(3), held::tryLock);

    assertFalse(holds(wanted, waiter), "two threads hold the lock");
    held.unlock();
    link.set(Link.UP);
    waiter.leave(() -> assertThrows(LeaseLostException.class, wanted::unlock));
  }

  @Test
  @Rule({"L1", "L9"})
  void whatTheStoreDoesNotConfirmIsLost() {
    DistributedLock held = mine.getLock(name);
    DistributedLock wanted = theirs.getLock(name);
    held.lock();
    Contender waiter = waiting(wanted, Wanted.PLAIN);
    link.set(Link.DOWN);
    held.unlock();
    assertTrue(waiter.result());
    deleteKey();
    assertTrue(held.tryLock());
    link.set(Link.UP);

    passTimeUntil("the hold is lost", CONFIRMED, () -> !holds(wanted, waiter));

    held.unlock();
    waiter.leave(() -> assertThrows(LeaseLostException.class, wanted::unlock));
  }

  @Test
  @Rule({"L1", "A9"})
  void aMessageOfAGrantThatIsOverStartsNobody() {
    DistributedLock held = mine.getLock(name);
    DistributedLock wanted = theirs.getLock(name);
    held.lock();
    Contender waiter = waiting(wanted, Wanted.PLAIN);
    link.set(Link.DOWN);
    link.mail().set(Fate.LATE);
    held.unlock();
    passTimeUntil("the grant window is over", Duration.ofSeconds(5), held::tryLock);

    link.mail().deliver();

    assertStaysOutside(waiter);
    held.unlock();
    assertComesIn(waiter, wanted);
  }

  @Test
  @Rule({"L1", "L10"})
  void afterAGapInTheMessagesTheStoreIsAsked() {
    DistributedLock held = mine.getLock(name);
    DistributedLock wanted = theirs.getLock(name);
    held.lock();
    Contender waiter = waiting(wanted, Wanted.PLAIN);
    link.set(Link.DOWN);
    link.mail().cut();
    link.mail().join();

    held.unlock();

    assertStaysOutside(waiter);
    assertComesIn(waiter, wanted);
  }

  @Test
  @Rule({"L1", "L13"})
  void aFencedWaiterAsks() {
    assertAsks(mine.getFencedLock(name), theirs.getFencedLock(name));
  }

  @Test
  @Rule({"L1", "L9"})
  void aWaiterWithAFixedLeaseAsks() {
    assertAsks(mine.getLock(name), theirs.getLock(name).withLease(Duration.ofSeconds(20)));
  }

  @Test
  @Rule({"L1", "L9"})
  void aWaiterThatReplacesOneWithAFixedLeaseHoldsNoLongerThanTheGrant() {
    DistributedLock held = mine.getLock(name);
    DistributedLock wanted = theirs.getLock(name);
    held.lock();
    Contender first = contender(() -> wanted.tryLock(1, 2, TimeUnit.SECONDS));
    Await.until("the thread is in the queue", () -> isWaiting(Wanted.PLAIN));
    Contender second = entering(wanted);
    passTime(CONFIRMED);
    assertFalse(first.result());
    link.set(Link.DOWN);
    held.unlock();
    assertTrue(second.result());

    passTimeUntil("the grant window is over", Duration.ofSeconds(4), held::tryLock);

    assertFalse(holds(wanted, second), "two threads hold the lock");
    held.unlock();
    link.set(Link.UP);
    second.leave(() -> assertThrows(LeaseLostException.class, wanted::unlock));
  }

  @Test
  @Rule("L1")
  void withoutTheOptionTheStoreIsAsked() {
    LockService asking = service(link, builder -> builder);
    assertAsks(mine.getLock(name), asking.getLock(name));
  }

  private void assertAsks(DistributedLock held, DistributedLock wanted) {
    held.lock();
    Contender waiter = waiting(wanted, Wanted.PLAIN);
    link.set(Link.DOWN);

    held.unlock();

    assertStaysOutside(waiter);
    assertComesIn(waiter, wanted);
  }

  @Test
  @Rule({"L10", "L12"})
  void theNextThreadOfTheServiceHoldsTheLockByTheSameGrant() {
    DistributedLock held = mine.getLock(name);
    DistributedLock wanted = theirs.getLock(name);
    TimeSource time = backend().time();
    AtomicLong unlocked = new AtomicLong();
    held.lock();
    Contender first =
        contender(() -> {
          wanted.lock();
          wanted.unlock();
          unlocked.set(time.nanoTime());
          return true;
        });
    Await.until("it waits", () -> isWaiting(Wanted.PLAIN));
    Contender second = entering(wanted);
    link.set(Link.DOWN);
    long granted = time.nanoTime();
    held.unlock();
    assertTrue(first.result());
    first.leave(() -> {});
    boolean inTime = unlocked.get() - granted < HAND_OFF_TIME.toNanos();
    assumeTrue(inTime, "a hold of this age is given back; on moved time it is never so old");

    assertTrue(second.result());
    link.set(Link.UP);
    second.leave(wanted::unlock);
    assertFalse(wanted.isLocked());
  }
}
