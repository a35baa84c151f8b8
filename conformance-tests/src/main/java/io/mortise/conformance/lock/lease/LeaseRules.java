package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockService;
import io.mortise.Registration;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases: they end, are renewed, and their loss is reported. */
public abstract class LeaseRules extends LockRules {
  private static final Duration SHORT = Duration.ofSeconds(1);

  /** The lease of a hold that must not be lost, however busy the machine. */
  private static final Duration RENEWED = Duration.ofSeconds(3);

  protected LeaseRules(LockKit kit) {
    super(kit);
  }

  @Test
  @Rule({"L7", "L9"})
  void aFixedLeaseEndsAndItsHolderGetsAReport() {
    DistributedLock mine = lock();
    DistributedLock theirs = lock();
    List<LeaseChange> events = new CopyOnWriteArrayList<>();
    Registration registration = mine.onLeaseChange(events::add);
    mine.lock(SHORT.toMillis(), TimeUnit.MILLISECONDS);
    assertFalse(theirs.tryLock());

    passTimeUntil("the lease ends", SHORT.multipliedBy(5), () -> !mine.isHeldByCurrentThread());

    assertEquals(LeaseState.LOST, mine.leaseState());
    assertThrows(LeaseLostException.class, mine::ensureHeld);
    Await.until("the listener got the loss", () -> !events.isEmpty());
    assertEquals(LeaseState.LOST, events.get(0).state());
    assertEquals(name, events.get(0).name());
    Await.until("another service can acquire the lock", theirs::tryLock);
    assertThrows(LeaseLostException.class, mine::unlock);
    assertEquals(LeaseState.RELEASED, mine.leaseState());
    assertTrue(theirs.isHeldByCurrentThread(), "the late unlock touched nothing");
    theirs.unlock();
    registration.close();
    assertEquals(1, events.size());
  }

  @Test
  @Rule("L7")
  void aWaiterHasTheLockOfACrashedHolderWhenItsLeaseEnds() {
    LockService crashing = service(builder -> builder.leaseTime(SHORT));
    crashing.getLock(name).lock();
    DistributedLock theirs = lock();
    Contender waiter =
        contender(() -> {
          theirs.lock();
          return true;
        });
    assertFalse(waiter.isInside());

    crashing.close(); // like a crash: no more renewals, and no release
    passTimeUntil("the waiter holds the lock", SHORT.multipliedBy(8), waiter::isInside);

    assertTrue(waiter.result());
    waiter.leave(theirs::unlock);
  }

  @Test
  @Rule("L8")
  void aHoldIsRenewedOverThreeLeases() {
    DistributedLock mine = lockWithLease(RENEWED);
    DistributedLock theirs = lock();
    mine.lock();

    for (int i = 0; i < 13; i++) {
      passTime(RENEWED.dividedBy(4));
      assertFalse(theirs.tryLock(), "the lock is still held");
      mine.ensureHeld();
    }

    mine.unlock();
    assertTrue(theirs.tryLock());
    theirs.unlock();
  }

  @Test
  @Rule("L8")
  void renewalEndsWithTheRelease() {
    DistributedLock mine = lockWithLease(RENEWED);
    DistributedLock theirs = lock();
    mine.lock();
    passTime(RENEWED.dividedBy(2));
    mine.unlock();

    assertTrue(theirs.tryLock(), "the lock is free at once");
    theirs.unlock();
    passTime(RENEWED.dividedBy(2));
    assertFalse(theirs.isLocked());
  }

  @Test
  @Rule("W5")
  void aFixedLeaseLeavesNoTraceInTheNextAcquisition() {
    DistributedLock mine = lock();
    mine.lock(2, TimeUnit.SECONDS);
    mine.unlock();

    mine.lock();
    assertTrue(mine.remainTimeToLive() > 20_000);
    mine.unlock();
  }

  @Test
  @Rule("W6")
  void aShorterNestedLeaseShortensNothing() {
    DistributedLock mine = lock();
    mine.lock(60, TimeUnit.SECONDS);
    mine.lock(5, TimeUnit.SECONDS);
    assertTrue(mine.remainTimeToLive() > 50_000);
    mine.unlock();
    assertTrue(mine.remainTimeToLive() > 50_000);
    mine.unlock();
    assertFalse(mine.isLocked());
  }

  @Test
  @Rule("W6")
  void aLongerNestedLeaseIsGranted() {
    DistributedLock mine = lock();
    mine.lock(5, TimeUnit.SECONDS);
    mine.lock(60, TimeUnit.SECONDS);
    assertTrue(mine.remainTimeToLive() > 50_000);
    mine.unlock();
    mine.unlock();
    assertFalse(mine.isLocked());
  }

  @Test
  @Rule("W6")
  void aLongerNestedLeaseIsGrantedInARenewedHoldToo() {
    DistributedLock mine = lock();
    mine.lock();
    mine.lock(60, TimeUnit.SECONDS);
    assertTrue(mine.remainTimeToLive() > 50_000);
    mine.unlock();
    mine.unlock();
    assertFalse(mine.isLocked());
  }

  @Test
  @Rule("L8")
  void theLimitOfRenewedHoldsDoesNotCutAFixedLease() {
    DistributedLock mine =
        service(builder -> builder.leaseTime(SHORT).maxHold(SHORT)).getLock(name);
    mine.lock(1, TimeUnit.MINUTES);

    passTime(SHORT.multipliedBy(2));

    mine.ensureHeld();
    mine.unlock();
  }

  @Test
  @Rule({"W6", "L8"})
  void aNestedFixedLeaseDoesNotEndTheRenewalOfTheOuterHold() {
    DistributedLock mine = lockWithLease(RENEWED);
    mine.lock();
    mine.lock(RENEWED.toMillis(), TimeUnit.MILLISECONDS);
    mine.unlock();

    passTime(RENEWED.plus(SECOND));

    mine.ensureHeld();
    mine.unlock();
  }

  @Test
  @Rule({"W6", "L8"})
  void aNestedRenewedLockRenewsAFixedHold() {
    DistributedLock mine = lockWithLease(RENEWED);
    mine.lock(2, TimeUnit.SECONDS);
    mine.lock();

    passTime(RENEWED.plus(SECOND));

    mine.ensureHeld();
    mine.unlock();
    mine.unlock();
  }

  @Test
  @Rule({"L8", "L9"})
  void aHoldEndsAtItsLimitAlthoughItIsRenewed() {
    DistributedLock mine =
        service(builder -> builder.leaseTime(RENEWED).maxHold(RENEWED.multipliedBy(2)))
            .getLock(name);
    DistributedLock theirs = lock();
    mine.lock();
    passTime(RENEWED.plusMillis(300));
    mine.ensureHeld();

    passTimeUntil(
        "the limit is reached", RENEWED.multipliedBy(4), () -> !mine.isHeldByCurrentThread());

    Await.until("the lock is free at once", theirs::tryLock);
    assertThrows(LeaseLostException.class, mine::unlock);
    theirs.unlock();
  }

  @Test
  @Rule("L7")
  void theLeaseOfAThreadThatDiedIsNotRenewed() {
    LockService service = service(builder -> builder.leaseTime(SHORT));
    DistributedLock mine = service.getLock(name);
    Contender dying =
        contender(() -> {
          mine.lock();
          return true;
        });
    dying.leave(() -> {});

    Contender next =
        contender(() -> {
          mine.lock();
          return true;
        });
    assertFalse(next.isInside());
    passTimeUntil(
        "a thread of the same service holds the lock", SHORT.multipliedBy(8), next::isInside);

    assertTrue(next.result());
    next.leave(mine::unlock);
  }

  @Test
  @Rule({"L9", "W19"})
  void aDeletedKeyIsNoticedAtTheNextRenewal() {
    DistributedLock mine = lockWithLease(SHORT);
    mine.lock();

    deleteKey();
    passTimeUntil(
        "the loss is noticed", SHORT.multipliedBy(5), () -> mine.leaseState() == LeaseState.LOST);

    assertThrows(LeaseLostException.class, mine::ensureHeld);
    assertThrows(LeaseLostException.class, mine::unlock);
  }

  @Test
  @Rule("W3")
  void aKeyOverwrittenByAnotherTypeHarmsNoOtherHold() {
    LockService service = service(builder -> builder.leaseTime(RENEWED));
    DistributedLock spoiled = service.getLock(name);
    DistributedLock other = service.getLock(name + "-other");
    spoiled.lock();
    other.lock();

    run("return {redis.call('SET', KEYS[1], 'mine now')}");
    passTime(RENEWED.plus(SECOND));

    other.ensureHeld();
    other.unlock();
    assertEquals(LeaseState.LOST, spoiled.leaseState());
    assertThrows(LeaseLostException.class, spoiled::unlock);
    deleteKey();
  }

  @Test
  @Rule({"L9", "W3"})
  void aSingleHoldWhoseKeyIsOverwrittenByAnotherTypeIsLost() {
    DistributedLock mine = lockWithLease(SHORT);
    mine.lock();

    run("return {redis.call('SET', KEYS[1], 'mine now')}");
    passTimeUntil(
        "the loss is noticed", SHORT.multipliedBy(5), () -> mine.leaseState() == LeaseState.LOST);

    assertThrows(LeaseLostException.class, mine::unlock);
    deleteKey();
  }

  @Test
  @Rule("L9")
  void anOptionInterruptsTheThreadThatLosesItsLease() {
    LockService service = service(builder -> builder.interruptOnLoss(true));
    DistributedLock mine = service.getLock(name);
    Contender holder =
        contender(() -> {
          mine.lock();
          return true;
        });
    assertTrue(holder.result());

    assertTrue(lock().forceUnlock());

    // The holder waits for leave while it holds the lock, and the test interrupts that wait.
    assertInstanceOf(InterruptedException.class, holder.failureInside());
  }
}
