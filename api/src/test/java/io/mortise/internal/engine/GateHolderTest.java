package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gate while a thread holds the lock and loses its lease, and afterwards. */
@Tag("L9")
class GateHolderTest extends GateFixture {
  @Test
  void aLossMarksItsOwnerAndTheNextThreadTries() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);

    forcedOpen(held);

    assertEquals(held.id(), store.next("leave").absent().id());
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(next));
    assertEquals(LeaseState.LOST, a.now(lock::leaseState));
    assertEquals(LeaseState.HELD, b.now(lock::leaseState));
    assertEquals(LeaseState.RELEASED, c.now(lock::leaseState));
  }

  @Test
  void theOwnerIsMarkedWhicheverThreadAcquiredTheHold() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    unlock(a);
    assertTrue(GateThread.get(next));

    forcedOpen(held);
    store.next("leave").absent();

    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
    GateThread.failure(LeaseLostException.class, b.runs(lock::unlock));
    IllegalMonitorStateException e =
        GateThread.failure(IllegalMonitorStateException.class, a.runs(lock::unlock));
    assertEquals(IllegalMonitorStateException.class, e.getClass());
  }

  @Test
  void unlockingALostHoldTouchesNeitherGateNorStore() {
    Acquisition held = holds(a);
    Future<Boolean> next = waits(b);
    forcedOpen(held);
    store.next("leave").absent();
    store.next("acquire").held();
    assertTrue(GateThread.get(next));

    GateThread.failure(LeaseLostException.class, a.runs(lock::unlock));

    store.assertNothingAsked();
    assertEquals(1, b.now(lock::getHoldCount));
    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
    Future<Boolean> unlocking = b.runs(lock::unlock);
    store.next("leave").released();
    assertTrue(GateThread.get(unlocking));
  }

  /** The process was paused, and no timer has noticed the end of the lease yet. */
  @Test
  void eachUnlockAfterTheEndOfTheLeaseThrowsAlsoANestedOne() {
    holds(a);
    GateThread.get(a.runs(lock::lock));
    time.pause(LEASE);

    Future<Boolean> nested = a.runs(lock::unlock);
    store.next("leave").absent();
    GateThread.failure(LeaseLostException.class, nested);
    GateThread.failure(LeaseLostException.class, a.runs(lock::unlock));
    IllegalMonitorStateException e =
        GateThread.failure(IllegalMonitorStateException.class, a.runs(lock::unlock));
    assertEquals(IllegalMonitorStateException.class, e.getClass());
  }

  /** The unlock has found its hold, and the loss comes before the unlock reaches the gate. */
  @Test
  void aLossThatOvertakesAnUnlockIsReportedAndTheNextHoldIsLeftAlone() {
    Acquisition held = holds(a);
    ThreadGrant gate = (ThreadGrant) held.grant();
    Hold own = gate.hold();
    assertNotNull(own);
    Future<Boolean> next = waits(b);
    forcedOpen(held);
    store.next("leave").absent();
    store.next("acquire").held();
    assertTrue(GateThread.get(next));

    assertFalse(a.says(() -> gate.exit(own, time.nanoTime(), engine.store().asking()).finish()));

    assertEquals(1, b.now(lock::getHoldCount));
  }

  @Test
  void aLossDuringAReleaseIsTheReleases() {
    Acquisition held = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    AskedCommand leave = store.next("leave");
    Future<Boolean> next = waits(b);

    forcedOpen(held);
    assertFalse(next.isDone());
    store.assertNothingAsked();
    leave.released();

    assertTrue(GateThread.get(unlocking));
    store.next("acquire").held();
    assertTrue(GateThread.get(next));
    store.assertNothingAsked();
  }

  @Test
  void aLateRefusalOfARenewalEndsNoLaterHold() {
    Acquisition first = holds(a);
    time.advance(LEASE.dividedBy(3));
    AskedCommand renewal = store.next("renew");
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
    assertTrue(GateThread.get(next));
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
    assertTrue(GateThread.get(next));
  }
}
