package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that is handed off until another process asks for it. */
@Tag("L12")
class GateWantedTest extends GateFixture {
  private static final Duration HAND_OFF = ServiceOptions.HAND_OFF_TIME;
  private static final Duration UNASKED = ServiceOptions.UNASKED_TIME;
  private static final Duration TICK = Duration.ofNanos(1);

  /** The holder unlocks, and the next thread has the lock without a command. */
  private void handsOff(GateThread holder, GateThread next) {
    Future<Boolean> waiting = waits(next);
    unlock(holder);
    assertTrue(GateThread.get(waiting));
    store.assertNothingAsked();
  }

  @Test
  void theIdSaysThatItsServiceHears() {
    assertTrue(holds(a).id().endsWith(":k"));
  }

  @Test
  void theIdOfAnyOtherRequestDoesNot() {
    engine.gates().useSeveralKinds();
    for (DistributedLock other :
        new DistributedLock[] {
          Handles.of(engine, keys, LeaseTerms.fixed(LEASE)),
          Handles.of(engine, keys, engine.store().defaultLease().upTo(LONG)),
          Handles.of(engine, keys.as(LockKind.FAIR)),
          Handles.of(engine, keys.as(LockKind.FENCED)),
          Handles.of(engine, keys.as(LockKind.REDISSON))
        }) {
      Future<Boolean> locking = a.runs(other::lock);
      String id = store.next("acquire").held().id();
      assertTrue(GateThread.get(locking));
      assertFalse(id.endsWith(":k"), id);
      Future<Boolean> unlocking = a.runs(other::unlock);
      store.next("leave").released();
      assertTrue(GateThread.get(unlocking));
    }
  }

  @Test
  void aHoldThatNobodyAsksForIsHandedOffForASecond() {
    Acquisition held = holds(a);
    time.advance(UNASKED.minus(TICK));
    handsOff(a, b);

    time.advance(TICK);

    assertGivenBack(b, held, waits(c));
  }

  @Test
  void aHoldThatIsAskedForIsHandedOffForTenMillisecondsMore() {
    Acquisition held = holds(a);
    time.advance(UNASKED.dividedBy(2));
    wanted(held);
    time.advance(HAND_OFF.minus(TICK));
    handsOff(a, b);

    time.advance(TICK);

    assertGivenBack(b, held, waits(c));
  }

  @Test
  void aSecondMessageDoesNotMoveTheEnd() {
    Acquisition held = holds(a);
    time.advance(UNASKED.dividedBy(2));
    wanted(held);
    time.advance(HAND_OFF.dividedBy(2));
    wanted(held);
    handsOff(a, b);
    time.advance(HAND_OFF.dividedBy(2));
    wanted(held);

    assertGivenBack(b, held, waits(c));
  }

  @Test
  void aMessageShortlyBeforeTheEndDoesNotMoveIt() {
    Acquisition held = holds(a);
    time.advance(UNASKED.minus(TICK));
    wanted(held);

    time.advance(TICK);

    assertGivenBack(a, held, waits(b));
  }

  @Test
  void aHoldThatWasAskedForBeforeItsReplyIsHandedOffForTenMilliseconds() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    wanted(acquire.id());
    acquire.held();
    assertTrue(GateThread.get(locking));
    time.advance(HAND_OFF);

    assertGivenBack(a, acquisition(acquire.id()), waits(b));
  }

  @Test
  void aMessageForTheAcquisitionBeforeMeansNothing() {
    Acquisition before = holds(a);
    Future<Boolean> unlocking = a.runs(lock::unlock);
    AskedCommand leave = store.next("leave");
    wanted(before);
    leave.released();
    assertTrue(GateThread.get(unlocking));
    Acquisition held = holds(a);

    wanted(before);

    assertNotEquals(before.id(), held.id());
    store.assertNothingAsked(); // no leave either: a message may cross a release
    time.advance(UNASKED.minus(TICK));
    handsOff(a, b);
  }

  @Test
  void aMessageForAnEarlierAcquisitionOfTheGateMeansNothing() {
    Acquisition before = holds(a);
    time.advance(UNASKED);
    assertGivenBack(a, before, waits(b));

    before.grant().wanted(before); // as if it had been found just before it ended

    time.advance(HAND_OFF);
    handsOff(b, c);
  }

  @Test
  void aHoldWithMissedMessagesIsHandedOffForTenMilliseconds() {
    Acquisition held = holds(a);
    time.advance(HAND_OFF);
    missesMessages();

    assertGivenBack(a, held, waits(b));
  }

  @Test
  void aHoldWhoseCommandWasOutWhenMessagesWereMissedIsHandedOffForTenMilliseconds() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    missesMessages();
    acquire.held();
    assertTrue(GateThread.get(locking));
    time.advance(HAND_OFF);

    assertGivenBack(a, acquisition(acquire.id()), waits(b));
  }

  @Test
  void aHoldWithLittleOfItsLeaseIsGivenBackThoughNobodyAsks() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    time.pause(LEASE.dividedBy(2));
    acquire.held();
    assertTrue(GateThread.get(locking));

    assertGivenBack(a, acquisition(acquire.id()), waits(b));
  }

  @Test
  void aHoldWhoseIdIsNotHeardIsHandedOffForTenMilliseconds() {
    DistributedLock fixed = Handles.of(engine, keys, LeaseTerms.fixed(LEASE));
    Future<Boolean> agent = a.does(() -> fixed.tryLock(Duration.ofSeconds(1)));
    AskedCommand first = store.next("acquire").queued();
    time.awaitParked(a.thread());
    Future<Boolean> second = waits(b);
    time.advance(Duration.ofSeconds(1));
    assertFalse(GateThread.get(agent));
    time.advance(Duration.ofSeconds(2)); // the place is the same, so it asks when a check is due
    assertEquals(first.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(second));
    time.advance(HAND_OFF);

    assertGivenBack(b, acquisition(first.id()), waits(c));
  }

  @Test
  void aMessageBetweenAHandOffAndItsTakingCounts() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    wanted(held);
    time.letGo(b.thread());
    assertTrue(GateThread.get(waiting));
    time.advance(HAND_OFF);

    assertGivenBack(b, held, waits(c));
  }
}
