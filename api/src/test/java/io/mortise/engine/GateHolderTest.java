package io.mortise.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The gate while a thread is inside, and after its lease was lost. */
class GateHolderTest extends GateFixture {
  /** Unlocks, and expects that the hold goes back to the store and the next thread asks anew. */
  private void assertGivenBack(Party holder, Acquisition held, Future<Boolean> next) {
    Future<Boolean> unlocking = holder.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(Party.get(unlocking));
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(Party.get(next));
  }

  // How long a hold is passed on

  @Test
  void aHoldIsPassedOnSixtyFourTimesAndThenGivenBack() {
    Acquisition held = holds(a);
    AtomicInteger inside = new AtomicInteger();
    List<Future<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 66; i++) {
      Party party = party("waiter-" + i);
      waiting.add(
          parked(
              party,
              party.runs(() -> {
                lock.lock();
                inside.incrementAndGet();
                lock.unlock();
              })));
    }
    unlock(a);

    Asked leave = store.next("leave");

    assertEquals(held.id(), leave.id());
    assertEquals(64, inside.get());
    leave.released();
    store.next("acquire").held();
    store.next("leave").released();
    for (Future<Boolean> each : waiting) {
      assertTrue(Party.get(each));
    }
  }

  @Test
  void aHoldIsPassedOnForTenMillisecondsAndThenGivenBack() {
    Acquisition held = holds(a);
    Future<Boolean> first = waits(b);
    time.advance(Duration.ofNanos(9_999_999));
    unlock(a);
    assertTrue(Party.get(first));
    store.assertNothingAsked();
    Future<Boolean> second = waits(c);

    time.advance(Duration.ofNanos(1));

    assertGivenBack(b, held, second);
  }

  @Test
  void aHoldWithHalfItsLeaseIsPassedOn() {
    holdsAfter(LEASE.dividedBy(2).minusMillis(1));
    Future<Boolean> next = waits(b);

    unlock(a);

    assertTrue(Party.get(next));
    store.assertNothingAsked();
  }

  @Test
  void aHoldWithLessThanHalfItsLeaseIsGivenBack() {
    Acquisition held = holdsAfter(LEASE.dividedBy(2));
    Future<Boolean> next = waits(b);

    assertGivenBack(a, held, next);
  }

  /** Its lease counts from when the command was sent; here the answer took that long. */
  private Acquisition holdsAfter(Duration delay) {
    Future<Boolean> locking = a.runs(lock::lock);
    Asked acquire = store.next("acquire");
    time.pause(delay);
    acquire.held();
    assertTrue(Party.get(locking));
    return acquisition(acquire.id());
  }

  @Test
  void aFixedLeaseIsNeitherPassedOnNorGivenAnothersHold() {
    EngineLock fixed = new EngineLock(engine, keys, LeasePolicy.fixed(LEASE));
    Acquisition held = holds(a);
    Future<Boolean> second = parked(b, b.runs(fixed::lock));
    assertGivenBack(a, held, second);
    Acquisition own = engine.acquisitions().iterator().next();
    Future<Boolean> third = waits(c);

    assertGivenBack(b, own, third);
  }

  @Test
  void aSuspectHoldIsGivenBack() {
    Acquisition held = holds(a);
    assertTrue(held.suspect());
    Future<Boolean> next = waits(b);

    assertGivenBack(a, held, next);
  }

  // Loss

  @Test
  void aLossMarksItsOwnerAndTheNextThreadTries() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);

    forcedOpen(held);

    assertEquals(held.id(), store.next("leave").absent().id());
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(Party.get(next));
    assertEquals(LeaseState.LOST, a.now(lock::leaseState));
    assertEquals(LeaseState.HELD, b.now(lock::leaseState));
    assertEquals(LeaseState.RELEASED, c.now(lock::leaseState));
  }

  @Test
  void theOwnerIsMarkedWhoeverAcquiredTheHold() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    unlock(a);
    assertTrue(Party.get(next));

    forcedOpen(held);
    store.next("leave").absent();

    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
    Party.failure(LeaseLostException.class, b.runs(lock::unlock));
    IllegalMonitorStateException e =
        Party.failure(IllegalMonitorStateException.class, a.runs(lock::unlock));
    assertEquals(IllegalMonitorStateException.class, e.getClass());
  }

  @Test
  void unlockingALostHoldTouchesNeitherGateNorStore() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    forcedOpen(held);
    store.next("leave").absent();
    store.next("acquire").held();
    assertTrue(Party.get(next));

    Party.failure(LeaseLostException.class, a.runs(lock::unlock));

    store.assertNothingAsked();
    assertEquals(1, b.now(lock::getHoldCount));
    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
    Future<Boolean> unlocking = b.runs(lock::unlock);
    store.next("leave").released();
    assertTrue(Party.get(unlocking));
  }

  /** The unlock has found its hold, and the loss comes before it reaches the gate. */
  @Test
  void aLossThatOvertakesAnUnlockIsToldAndTheNextHoldIsLeftAlone() {
    Acquisition held = holds(a);
    Hold own = held.gate().hold();
    assertNotNull(own);
    Future<Boolean> next = waits(b);
    forcedOpen(held);
    store.next("leave").absent();
    store.next("acquire").held();
    assertTrue(Party.get(next));

    assertFalse(a.says(() -> held.gate().exit(own)));

    assertEquals(1, b.now(lock::getHoldCount));
  }

  @Test
  void aLossDuringAReleaseIsTheReleases() {
    Acquisition held = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    Asked leave = store.next("leave");
    Future<Boolean> next = waits(b);

    forcedOpen(held);
    assertFalse(next.isDone());
    store.assertNothingAsked();
    leave.released();

    assertTrue(Party.get(unlocking));
    store.next("acquire").held();
    assertTrue(Party.get(next));
    store.assertNothingAsked();
  }

  @Test
  void aLateRefusalOfARenewalEndsNoLaterHold() {
    Acquisition first = holds(a);
    time.advance(LEASE.dividedBy(3));
    Asked renewal = store.next("renew");
    assertEquals(first.id(), renewal.id());
    Future<Boolean> next = waits(b);
    assertGivenBack(a, first, next);

    renewal.notRenewed();

    store.assertNothingAsked();
    assertEquals(LeaseState.HELD, b.now(lock::leaseState));
    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
  }

  @Test
  void aRefusedRenewalIsALoss() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    time.advance(LEASE.dividedBy(3));
    store.next("renew").notRenewed();

    assertEquals(held.id(), store.next("leave").absent().id());
    store.next("acquire").held();
    assertTrue(Party.get(next));
    assertEquals(LeaseState.LOST, a.now(lock::leaseState));
  }

  @Test
  void aHoldOfADeadThreadIsNotRenewedAndIsLostAtItsDeadline() throws InterruptedException {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    a.die();

    time.advance(LEASE.minusMillis(2));
    store.assertNothingAsked();
    assertFalse(next.isDone());
    time.advance(Duration.ofMillis(1));

    assertEquals(held.id(), store.next("leave").absent().id());
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(Party.get(next));
  }
}
