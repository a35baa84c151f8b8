package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that is retained until another process wants it. */
@Tag("L5")
@Tag("L12")
class GateRecalledTest extends GateFixture {
  private static final Duration TIME = Duration.ofSeconds(1);
  private static final Duration TICK = Duration.ofNanos(1);

  GateRecalledTest() {
    super(settings(ServiceOptions.NO_LIMIT, TIME));
  }

  private Acquisition retained(GateThread party) {
    Acquisition held = holds(party);
    unlock(party);
    assertRetained(held);
    return held;
  }

  private void assertRetained(Acquisition held) {
    store.assertNothingAsked();
    assertTrue(held.grant().retains(held));
  }

  /** The hold has ended before its command was sent. */
  private void assertGivenBack(Acquisition held) {
    assertFalse(held.lease().isHeld());
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(engine.acquisitions().all().isEmpty());
    assertTrue(engine.gates().all().isEmpty());
  }

  private void assertReleased(GateThread holder, Acquisition held) {
    Future<Boolean> unlocking = holder.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    assertTrue(engine.gates().all().isEmpty());
  }

  @Test
  void theIdSaysThatNoThreadMayBeInside() {
    Acquisition held = retained(a);

    assertTrue(held.id().endsWith(":i"), held::id);
    wanted(held);
    assertGivenBack(held);
  }

  @Test
  void itIsRetainedForItsTimeIfNobodyWantsIt() {
    Acquisition held = retained(a);
    time.advance(TIME.minus(TICK));
    assertRetained(held);

    time.advance(TICK);

    assertGivenBack(held);
  }

  @Test
  void aMessageAboutAClaimedHoldCountsAtItsUnlock() {
    Acquisition held = retained(a);
    assertTrue(b.says(lock::tryLock));

    wanted(held);
    store.assertNothingAsked();

    assertReleased(b, held);
  }

  @Test
  void aMessageBeforeTheReplyCounts() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    wanted(acquire.id());
    acquire.held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aSecondMessageMeansNothing() {
    Acquisition held = retained(a);
    wanted(held);
    wanted(held);
    AskedCommand leave = store.next("leave");
    wanted(held);
    leave.released();
    wanted(held);

    store.assertNothingAsked();
    assertTrue(engine.gates().all().isEmpty());
  }

  @Test
  void aLateMessageDoesNotConcernTheNextHold() {
    Acquisition before = retained(a);
    wanted(before);
    assertGivenBack(before);
    Acquisition held = retained(a);

    wanted(before);

    assertRetained(held);
    assertNotEquals(before.id(), held.id());
  }

  @Test
  void aMessageAboutAnUnknownIdMeansNothing() {
    Acquisition held = retained(a);

    wanted("other:1:1:i");

    assertRetained(held);
  }

  @Test
  void aMessageBetweenAHandOffAndItsTakingCounts() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    wanted(held);
    store.assertNothingAsked();
    time.letGo(b.thread());
    assertTrue(GateThread.get(waiting));

    assertReleased(b, held);
  }

  @Test
  void aHoldThatNobodyTakesAfterAMessageGoesBack() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    wanted(held);

    Future<Boolean> closing = c.does(() -> engine.drain(LONG));

    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(closing));
    time.letGo(b.thread());
    GateThread.failure(LockServiceClosedException.class, waiting);
  }

  @Test
  void aHoldAfterOthersIsNotRetained() {
    assertReleased(a, holdsAfterOthers(a));
  }

  @Test
  void threadsThatTakeItAgainDoNotOutliveItsTime() {
    Acquisition held = retained(a);
    for (int i = 1; i < 10; i++) {
      time.advance(TIME.dividedBy(10));
      assertTrue(b.says(lock::tryLock));
      unlock(b);
      assertRetained(held);
    }
    time.advance(TIME.dividedBy(10));

    assertGivenBack(held);
  }

  @Test
  void itGoesBackWhenHalfItsLeaseIsGone() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    Duration left = Duration.ofMillis(300);
    time.pause(LEASE.dividedBy(2).minus(left));
    acquire.held();
    assertTrue(GateThread.get(locking));
    Acquisition held = acquisition(acquire.id());
    unlock(a);
    assertRetained(held);

    time.advance(left);

    assertGivenBack(held);
  }

  // Requests of the same process

  @Test
  void aRequestOfTheProcessMakesItAnOrdinaryHold() {
    engine.gates().useSeveralKinds();
    Acquisition held = holds(a);
    DistributedLock fair = Handles.of(engine, keys.as(LockKind.FAIR));

    assertEquals(false, trying(b, fair));

    assertReleased(a, held);
  }

  private Boolean trying(GateThread party, DistributedLock by) {
    Future<Boolean> trying = party.does(by::tryLock);
    store.next("acquire").busy();
    return GateThread.get(trying);
  }

  @Test
  void aRequestWhileTheCommandIsOutMakesItAnOrdinaryHold() {
    engine.gates().useSeveralKinds();
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    DistributedLock fair = Handles.of(engine, keys.as(LockKind.FAIR));
    assertEquals(false, trying(b, fair));
    acquire.held();
    assertTrue(GateThread.get(locking));

    assertReleased(a, acquisition(acquire.id()));
  }

  @Test
  void aFixedLeaseThatWaitsGetsItAtTheUnlock() {
    DistributedLock fixed = Handles.of(engine, keys, LeaseTerms.fixed(LEASE));
    Acquisition held = holds(a);
    Future<Boolean> waiting = parked(b, b.runs(fixed::lock));

    Future<Boolean> unlocking = a.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));

    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void missedMessagesEndWhatIsRetainedAlsoWhenTheyComeAgain() {
    Acquisition held = retained(a);

    missesMessages();

    assertGivenBack(held);
    assertEquals(List.of(), engine.snapshot().holds());
  }
}
