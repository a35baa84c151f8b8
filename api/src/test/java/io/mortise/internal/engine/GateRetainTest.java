package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockAttempt;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.LossCause;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that the service keeps after the unlock, for a thread to come. */
@Tag("L1")
@Tag("L12")
class GateRetainTest extends GateFixture {
  private static final Duration TIME = Duration.ofMillis(10);
  private static final Duration TICK = Duration.ofNanos(1);

  private final List<String> told;

  GateRetainTest() {
    super(settings(ServiceOptions.NO_LIMIT, TIME), new Noting());
    told = ((Noting) listeners.get(0)).told;
  }

  private static final class Noting implements LockListener {
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void acquired(LockAttempt attempt, LockHold hold) {
      told.add("acquired");
    }

    @Override
    public void released(LockHold hold) {
      told.add("released");
    }

    @Override
    public void lost(LockHold hold, LossCause cause, String reason) {
      told.add("lost");
    }

    @Override
    public void leaseChanged(LeaseChange event) {
      told.add("changed to " + event.state());
    }
  }

  /** The thread locks and unlocks, and the service retains the hold. */
  private Acquisition retained(GateThread party) {
    Acquisition held = holds(party);
    unlock(party);
    store.assertNothingAsked();
    assertTrue(held.grant().retains(held));
    return held;
  }

  private void again(GateThread party, Acquisition held) {
    assertTrue(party.says(lock::tryLock));
    assertEquals(List.of(held), List.copyOf(engine.acquisitions().all()));
    store.assertNothingAsked();
  }

  private void assertReleased(GateThread holder, Acquisition held) {
    Future<Boolean> unlocking = holder.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    assertGone();
  }

  private void assertGone() {
    assertTrue(engine.acquisitions().all().isEmpty());
    assertTrue(engine.gates().all().isEmpty());
  }

  /** The hold goes back in the background. */
  private void assertGivenBack(Acquisition held) {
    assertFalse(held.lease().isHeld(), "it ends before the command is sent");
    assertEquals(held.id(), store.next("leave").released().id());
    assertGone();
  }

  @Test
  void theNextThreadTakesItWithoutACommand() {
    Acquisition held = retained(a);

    again(b, held);
    unlock(b);
    again(b, held);
    unlock(b);
    again(a, held);

    time.advance(TIME);
    assertReleased(a, held);
  }

  @Test
  void itGoesBackWhenItsTimeIsOver() {
    Acquisition held = retained(a);

    time.advance(TIME.minus(TICK));
    store.assertNothingAsked();
    time.advance(TICK);

    assertGivenBack(held);
  }

  @Test
  void threadsThatTakeItDoNotMoveItsEnd() {
    Acquisition held = retained(a);
    for (int i = 1; i < TIME.toMillis(); i++) {
      time.advance(Duration.ofMillis(1));
      again(b, held);
      unlock(b);
    }
    store.assertNothingAsked();

    time.advance(Duration.ofMillis(1));

    assertGivenBack(held);
  }

  @Test
  void itIsNotRetainedWhenItsTimeIsOverAtTheUnlock() {
    Acquisition held = retained(a);
    again(b, held);
    time.advance(TIME);
    store.assertNothingAsked();

    assertReleased(b, held);
  }

  @Test
  void itIsNotTakenAfterItsTimeThoughTheTimerIsLate() {
    Acquisition held = retained(a);
    time.pause(TIME);

    Future<Boolean> locking = b.runs(lock::lock);

    assertEquals(held.id(), store.next("leave").released().id());
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }

  @Test
  void aThreadThatComesWhileItGoesBackWaitsForTheAnswer() {
    Acquisition held = retained(a);
    time.advance(TIME);
    AskedCommand leave = store.next("leave");
    Future<Boolean> locking = waits(b);

    leave.released();

    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(locking));
  }

  @Test
  void withoutAnAnswerTheNextThreadAsksAndTheCommandIsRepeated() {
    Acquisition held = retained(a);
    time.advance(TIME);
    AskedCommand leave = store.next("leave");
    Future<Boolean> locking = waits(b);

    leave.lost();

    store.next("acquire").held();
    assertTrue(GateThread.get(locking));
    time.advance(Duration.ofMillis(100));
    assertEquals(held.id(), store.next("leave").absent().id());
  }

  @Test
  void aWaiterComesFirst() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);

    unlock(a);

    assertTrue(GateThread.get(waiting));
    assertFalse(held.grant().retains(held));
    store.assertNothingAsked();
  }

  @Test
  void oneThatIsHandedOffToAThreadThatDoesNotRunGoesBack() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    time.advance(ServiceOptions.UNASKED_TIME.minus(TICK));
    store.assertNothingAsked();

    time.advance(TICK);

    assertEquals(held.id(), store.next("leave").released().id());
    time.letGo(b.thread());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
  }

  // What is not retained

  @Test
  void aHoldThatWaitedInTheStoreIsNotRetained() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire").queued();
    time.awaitParked(a.thread());
    engine.mailbox().onMessage("grant|" + acquire.id() + '|' + keys.lock());
    store.next("acquire").heldAfterOthers();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aHoldWhoseFirstCommandHadNoAnswerIsNotRetained() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire").lost();
    time.awaitParked(a.thread());
    time.advance(Duration.ofSeconds(1));
    store.next("acquire").held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aSuspectHoldIsNotRetained() {
    Acquisition held = holds(a);
    assertTrue(held.lease().suspect("no answer"));

    assertReleased(a, held);
  }

  @Test
  void aHoldIsNotRetainedDuringItsRenewal() {
    Acquisition held = holds(a);
    assertTrue(held.lease().beginRenewal());

    assertReleased(a, held);
  }

  @Test
  void aHoldWithLessThanHalfItsLeaseIsNotRetained() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    time.pause(LEASE.dividedBy(2));
    acquire.held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aFixedLeaseIsNotRetained() {
    DistributedLock fixed = fixed();
    Future<Boolean> locking = a.runs(fixed::lock);
    AskedCommand acquire = store.next("acquire").held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aFencedHoldIsNotRetained() {
    DistributedLock fenced = Handles.of(engine, keys.as(LockKind.FENCED));
    Future<Boolean> locking = a.runs(fenced::lock);
    AskedCommand acquire = store.next("acquire").held();
    assertTrue(GateThread.get(locking));

    Future<Boolean> unlocking = a.runs(fenced::unlock);
    assertEquals(acquire.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
  }

  @Test
  void aHoldThatIsFreeLaterIsNotRetained() {
    Acquisition held = holds(a);

    Future<Boolean> unlocking = a.runs(() -> lock.unlockAfter(Duration.ofSeconds(1)));

    assertEquals(held.id(), store.next("linger").released().id());
    assertTrue(GateThread.get(unlocking));
  }

  // Other requests of the process

  private DistributedLock fixed() {
    return Handles.of(engine, keys, LeaseTerms.fixed(LEASE));
  }

  @Test
  void aThreadWithAFixedLeaseGivesItBackFirst() {
    Acquisition held = retained(a);
    DistributedLock fixed = fixed();

    Future<Boolean> locking = b.runs(fixed::lock);
    assertEquals(held.id(), store.next("leave").released().id());
    store.next("acquire").held();

    assertTrue(GateThread.get(locking));
  }

  @Test
  void anAttemptWithAFixedLeaseGivesItBackFirst() {
    Acquisition held = retained(a);
    DistributedLock fixed = fixed();

    Future<Boolean> locking = b.does(fixed::tryLock);
    assertEquals(held.id(), store.next("leave").released().id());
    store.next("acquire").held();

    assertTrue(GateThread.get(locking));
  }

  @Test
  void aFairThreadGivesItBackFirstAndSoDoesAFencedOne() {
    for (LockKind kind : List.of(LockKind.FAIR, LockKind.FENCED)) {
      engine.gates().useSeveralKinds();
      Acquisition held = retained(a);
      DistributedLock other = Handles.of(engine, keys.as(kind));

      Future<Boolean> locking = b.does(other::tryLock);
      assertEquals(held.id(), store.next("leave").released().id());
      store.next("acquire").held();

      assertTrue(GateThread.get(locking));
      Future<Boolean> unlocking = b.runs(other::unlock);
      store.next("leave").released();
      assertTrue(GateThread.get(unlocking));
    }
  }

  @Test
  void aHoldForWhichAFairThreadWaitsIsNotRetained() {
    Acquisition held = holds(a);
    engine.gates().useSeveralKinds();
    DistributedLock fair = Handles.of(engine, keys.as(LockKind.FAIR));
    Future<Boolean> waiting = b.runs(fair::lock);
    AskedCommand acquire = store.next("acquire").queued();
    time.awaitParked(b.thread());

    Future<Boolean> unlocking = a.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    engine.mailbox().onMessage("grant|" + acquire.id() + '|' + keys.lock());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aLeaseGivesItBackFirst() {
    Acquisition held = retained(a);

    Future<Lease> acquiring = b.does(lock::acquire);
    AskedCommand leave = store.next("leave");
    assertEquals(held.id(), leave.id());
    store.assertNothingAsked();
    leave.released();
    store.next("acquire").held();

    assertTrue(GateThread.get(acquiring).isValid());
  }

  @Test
  void anAttemptOfAnAsynchronousLeaseGivesItBackFirst() {
    Acquisition held = retained(a);

    CompletableFuture<Optional<Lease>> trying =
        b.now(() -> lock.async().tryAcquire().toCompletableFuture());
    assertEquals(held.id(), store.next("leave").released().id());
    store.next("acquire").held();

    assertTrue(GateThread.get(trying).isPresent());
  }

  // Ends that nobody is told of

  @Test
  void aForcedUnlockEndsItAndTellsNobody() {
    Acquisition held = retained(a);

    forcedOpen(held);

    assertEquals(held.id(), store.next("leave").absent().id());
    assertGone();
    assertEquals(List.of("acquired", "released"), told);
    assertNotEquals(held.id(), holds(a).id());
  }

  @Test
  void aLeaseThatEndsDuringAPauseTellsNobody() {
    Acquisition held = retained(a);

    time.pause(LEASE);
    time.advance(Duration.ZERO);

    assertEquals(held.id(), store.next("leave").absent().id());
    assertGone();
    assertEquals(List.of("acquired", "released"), told);
    assertEquals(LeaseState.RELEASED, a.now(lock::leaseState));
  }

  @Test
  void itIsNotRenewed() {
    DistributedLock other = Handles.of(engine, LockKeys.of("mortise:", "other"));
    Future<Boolean> first = c.runs(other::lock);
    AskedCommand kept = store.next("acquire").held();
    assertTrue(GateThread.get(first));
    Future<Boolean> second = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    time.pause(LEASE.dividedBy(2).minus(TIME).minus(TIME));
    acquire.held();
    assertTrue(GateThread.get(second));
    Acquisition held = acquisition(acquire.id());
    unlock(a);
    assertTrue(held.grant().retains(held));

    time.advance(Duration.ZERO);

    AskedCommand renewal = store.next("renew");
    assertEquals(kept.id(), renewal.id());
    assertFalse(renewal.toString().contains(held.id()), renewal::toString);
    renewal.renewed();
    assertTrue(b.says(lock::tryLock));
    assertFalse(held.lease().isRenewing(), "it is renewed from the next beat on");
  }

  // Messages

  @Test
  void itGoesBackWhenMessagesMayBeMissed() {
    Acquisition held = retained(a);

    engine.mailbox().onInterrupted(new IllegalStateException("gone"));

    assertGivenBack(held);
  }

  @Test
  void aHoldOfWhichMessagesWereMissedIsNotRetained() {
    Acquisition held = holds(a);
    engine.mailbox().onInterrupted(new IllegalStateException("gone"));
    engine.mailbox().onSubscribed();

    assertReleased(a, held);
  }

  @Test
  void aHoldWhoseCommandWasOutWhenMessagesWereMissedIsNotRetained() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    engine.mailbox().onInterrupted(new IllegalStateException("gone"));
    engine.mailbox().onSubscribed();
    acquire.held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void nothingIsRetainedWhileNoMessagesCome() {
    engine.mailbox().onInterrupted(new IllegalStateException("gone"));
    assertReleased(a, holds(a));
    engine.mailbox().onSubscribed();

    Acquisition held = retained(a);

    time.advance(TIME);
    assertGivenBack(held);
  }

  // Closing

  @Test
  void aServiceThatClosesGivesItBack() {
    Acquisition held = retained(a);

    Future<Boolean> closing = b.does(engine::close);

    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(closing));
    assertEquals(List.of("acquired", "released"), told);
  }

  @Test
  void aServiceThatDrainsGivesItBackAndRetainsNothing() {
    Acquisition held = holds(a);
    Future<Boolean> draining = b.does(() -> engine.drain(LONG));
    time.awaitParked(b.thread());

    Future<Boolean> unlocking = a.runs(lock::unlock);

    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    assertTrue(GateThread.get(draining));
  }

  @Test
  void closingWaitsForTheAnswer() {
    Acquisition held = retained(a);
    time.advance(TIME);
    AskedCommand leave = store.next("leave");
    assertEquals(held.id(), leave.id());

    Future<Boolean> closing = b.does(engine::close);
    StubTime.until("it closes", () -> engine.store().isClosed());
    assertFalse(closing.isDone());
    leave.released();

    assertTrue(GateThread.get(closing));
  }

  @Test
  void itIsNoHoldOfTheService() {
    Acquisition held = retained(a);

    assertEquals(List.of(), engine.snapshot().holds());
    again(a, held);
    assertEquals(1, engine.snapshot().holds().size());
  }
}
