package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockServiceClosedException;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The gate while its grant is NONE or GOING, and one thread deals with the store. */
@Tag("L10")
@Tag("L11")
@Tag("L14")
class GateAgentTest extends GateFixture {
  @Test
  void theFirstThreadAsksTheStoreAndTheOthersWaitBehindIt() {
    Future<Boolean> first = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    Future<Boolean> second = waits(b);

    store.assertNothingAsked();
    acquire.held();

    assertTrue(GateThread.get(first));
    assertTrue(a.says(lock::isHeldByCurrentThread));
    assertFalse(second.isDone());
  }

  @Test
  void anUntimedTryBehindAnAgentIsRefusedWithoutACommand() {
    Future<Boolean> first = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");

    assertFalse(b.says(lock::tryLock));

    store.assertNothingAsked();
    acquire.held();
    assertTrue(GateThread.get(first));
  }

  @Test
  void anAnswerAfterItsLeaseIsGivenBackAndAnotherAcquisitionBegun() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand tooSlow = store.next("acquire");
    time.pause(LEASE);
    tooSlow.held();

    assertEquals(tooSlow.id(), store.next("leave").released().id());
    time.awaitParked(a.thread());
    assertFalse(locking.isDone());
    time.advance(Duration.ofSeconds(1));
    AskedCommand again = store.next("acquire").held();

    assertTrue(GateThread.get(locking));
    assertNotEquals(tooSlow.id(), again.id());
  }

  @Test
  void anAcquisitionWithdrawnInTheStoreIsReplaced() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand withdrawn = store.next("acquire").tooLate();

    AskedCommand again = store.next("acquire").held();

    assertTrue(GateThread.get(locking));
    assertNotEquals(withdrawn.id(), again.id());
    assertNull(engine.acquisitions().find(withdrawn.id()));
  }

  @Test
  void anAgentWhoseTimeIsOverLeavesItsPlaceToTheNextThread() {
    Future<Boolean> agent = a.does(() -> lock.tryLock(Duration.ofMillis(1500)));
    String id = store.next("acquire").queued().id();
    time.awaitParked(a.thread());
    Future<Boolean> next = waits(b);

    time.stopAtWake(b.thread());
    time.advance(Duration.ofMillis(1500));

    assertFalse(GateThread.get(agent));
    time.awaitWoken(b.thread());
    time.letGo(b.thread());
    time.awaitParked(b.thread());
    store.assertNothingAsked();
    time.advance(Duration.ofSeconds(1));
    assertEquals(id, store.next("acquire").held().id());
    assertTrue(GateThread.get(next));
  }

  @Test
  void anInterruptedAgentLeavesItsPlaceToTheNextThread() {
    Future<Boolean> agent = a.runs(lock::lockInterruptibly);
    String id = store.next("acquire").queued().id();
    time.awaitParked(a.thread());
    Future<Boolean> next = waits(b);

    a.thread().interrupt();

    GateThread.failure(InterruptedException.class, agent);
    store.assertNothingAsked();
    engine.mailbox().onMessage("grant|" + id + '|' + keys.lock());
    assertEquals(id, store.next("acquire").held().id());
    assertTrue(GateThread.get(next));
  }

  @Test
  void anAgentThatGivesUpAloneWithdrawsAndTheGateIsGone() {
    Future<Boolean> agent = a.runs(lock::lockInterruptibly);
    String id = store.next("acquire").queued().id();
    time.awaitParked(a.thread());

    a.thread().interrupt();

    assertEquals(id, store.next("leave").absent().id());
    GateThread.failure(InterruptedException.class, agent);
    assertTrue(engine.acquisitions().all().isEmpty());
    assertNotEquals(id, holds(b).id());
  }

  @Test
  void aGrantThatComesBeforeItsWaiterParksIsAnswered() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");

    engine.mailbox().onMessage("grant|" + acquire.id() + '|' + keys.lock());
    acquire.queued();

    assertEquals(acquire.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }

  @Test
  void aReleaseStopsRenewalBeforeItIsSent() {
    Acquisition held = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    AskedCommand leave = store.next("leave");

    assertEquals(held.id(), leave.id());
    assertFalse(held.lease().isHeld());
    time.advance(LEASE.dividedBy(2));
    store.assertNothingAsked();
    leave.released();

    assertTrue(GateThread.get(unlocking));
  }

  @Test
  void aThreadThatComesDuringAReleaseAcquiresAnewAfterItsAnswer() {
    Acquisition held = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    AskedCommand leave = store.next("leave");
    Future<Boolean> locking = waits(b);
    assertFalse(c.says(lock::tryLock));
    store.assertNothingAsked();

    leave.released();

    assertTrue(GateThread.get(unlocking));
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }

  @Test
  void aReleaseThatIsNotAnsweredLetsTheNextThreadTryAndIsRepeatedBesideIt() {
    Acquisition held = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    AskedCommand leave = store.next("leave");
    Future<Boolean> locking = waits(b);

    leave.lost();

    // The repeated leave and the next acquire come from two threads.
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }

  /**
   * Otherwise the store could grant the lock to an acquisition that the closed service does not
   * know.
   */
  @Test
  void anAgentThatIsAboutToAskWhenTheServiceIsClosedSendsNothing() {
    Runnable close =
        () -> {
          if (Thread.currentThread().equals(a.thread()) && !engine.acquisitions().all().isEmpty()) {
            time.atRead(() -> {});
            assertTrue(engine.close());
          }
        };
    Runnable closeAtTheNextRead =
        () -> {
          if (Thread.currentThread().equals(a.thread()) && !engine.acquisitions().all().isEmpty()) {
            time.atRead(close);
          }
        };
    time.atRead(closeAtTheNextRead);

    GateThread.failure(LockServiceClosedException.class, a.runs(lock::lock));

    store.assertNothingAsked();
    assertTrue(engine.acquisitions().all().isEmpty());
  }

  @Test
  void aHoldThatComesWhenTheServiceIsClosedIsGivenBack() {
    Future<Boolean> agent = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    Future<Boolean> waiting = waits(b);

    Future<Boolean> closing = c.does(engine::close);
    GateThread.failure(LockServiceClosedException.class, waiting);
    AskedCommand first = store.next("leave").absent();
    assertTrue(GateThread.get(closing));
    acquire.held();

    assertTrue(first.leavesTombstone());
    assertEquals(acquire.id(), store.next("leave").released().id());
    GateThread.failure(LockServiceClosedException.class, agent);
    assertTrue(engine.acquisitions().all().isEmpty());
  }
}
