package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that was handed off and not taken yet, with the woken thread at the barrier. */
@Tag("L1")
@Tag("L10")
class GateHandOffTest extends GateFixture {
  @Test
  void theNextThreadTakesTheSameAcquisitionWithoutACommand() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    assertNull(engine.gates().holdOf(keys));
    assertFalse(a.says(lock::isHeldByCurrentThread));

    time.letGo(b.thread());

    assertTrue(GateThread.get(waiting));
    store.assertNothingAsked();
    assertEquals(held, b.now(() -> held(lock)).acquisition());
  }

  private Hold held(DistributedLock by) {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold == null) {
      throw new AssertionError(by + " is not held");
    }
    return hold;
  }

  @Test
  void aHoldLostBeforeItIsTakenIsNeverHeld() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    forcedOpen(held);
    assertEquals(held.id(), store.next("leave").absent().id());
    time.letGo(b.thread());

    AskedCommand own = store.next("acquire");
    assertFalse(waiting.isDone());
    assertNotEquals(held.id(), own.id());
    own.held();
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aHoldWhoseLeaseHasEndedUnnoticedIsNeverTaken() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    time.pause(LEASE);
    time.letGo(b.thread());

    time.awaitParked(b.thread());
    assertFalse(waiting.isDone());
    store.assertNothingAsked();
    time.advance(Duration.ZERO);
    assertEquals(held.id(), store.next("leave").absent().id());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
    assertEquals(held.id(), store.next("renew").renewed().id());
    assertFalse(held.lease().isHeld(), "an ended lease is not revived");
  }

  @Test
  void noThreadIsMarkedWhenAnUntakenHoldIsLost() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    forcedOpen(held);
    store.next("leave").absent();
    time.letGo(b.thread());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));

    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
    assertEquals(LeaseState.HELD, b.now(lock::leaseState));
    IllegalMonitorStateException e =
        GateThread.failure(IllegalMonitorStateException.class, a.runs(lock::unlock));
    assertFalse(e instanceof LeaseLostException, e::toString);
  }

  @Test
  void anUntakenHoldIsReleasedWhenTheLastWaiterGivesUp() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = parked(b, b.runs(lock::lockInterruptibly));
    passOn(a, b);

    time.pause(LEASE);
    b.thread().interrupt();
    time.letGo(b.thread());

    assertEquals(held.id(), store.next("leave").absent().id());
    GateThread.failure(InterruptedException.class, waiting);
    assertTrue(engine.acquisitions().all().isEmpty());
    assertNotEquals(held.id(), holds(c).id());
  }

  @Test
  void aWaiterThatGivesUpWakesTheNextForAnUntakenHold() {
    Acquisition held = holds(a);
    Future<Boolean> first = parked(b, b.runs(lock::lockInterruptibly));
    Future<Boolean> second = waits(c);
    passOn(a, b);

    time.pause(LEASE);
    b.thread().interrupt();
    time.letGo(b.thread());

    assertEquals(held.id(), store.next("leave").absent().id());
    GateThread.failure(InterruptedException.class, first);
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(second));
  }

  @Test
  void aRunningThreadMayTakeTheHoldFirstAndTheWaiterStaysFirst() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    assertTrue(c.says(lock::tryLock));
    time.letGo(b.thread());
    time.awaitParked(b.thread());
    unlock(c);

    assertTrue(GateThread.get(waiting));
    store.assertNothingAsked();
    assertEquals(held, b.now(() -> held(lock)).acquisition());
  }

  @Test
  void aThreadThatIsWokenForNothingSleepsOn() {
    holds(a);
    Future<Boolean> waiting = waits(b);
    time.stopAtWake(b.thread());

    LockSupport.unpark(b.thread());
    time.awaitWoken(b.thread());
    time.letGo(b.thread());
    time.awaitParked(b.thread());

    assertFalse(waiting.isDone());
    store.assertNothingAsked();
    unlock(a);
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aWaiterThatFindsTheHoldTakenIsWokenByTheNextUnlock() {
    holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    GateThread.get(a.runs(lock::lock));
    time.letGo(b.thread());
    time.awaitParked(b.thread());

    unlock(a);

    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aWaiterThatHasNotLookedYetIsWokenOnce() {
    holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    for (int again = 0; again < 3; again++) {
      GateThread.get(a.runs(lock::lock));
      unlock(a);
    }

    assertEquals(1, time.unparks(b.thread()));
    time.letGo(b.thread());
    assertTrue(GateThread.get(waiting));
  }
}
