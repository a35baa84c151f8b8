package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hold that was handed off to a thread that does not run: nobody uses it, so it goes back. */
@Tag("L12")
class GateStoppedTest extends GateFixture {
  private static final Duration HAND_OFF = ServiceOptions.HAND_OFF_TIME;
  private static final Duration UNASKED = ServiceOptions.UNASKED_TIME;
  private static final Duration TICK = Duration.ofNanos(1);

  /** It goes back now, and not before. */
  private AskedCommand goesBackAfter(Acquisition held, Duration left) {
    time.advance(left.minus(TICK));
    store.assertNothingAsked();
    time.advance(TICK);
    AskedCommand leave = store.next("leave");
    assertEquals(held.id(), leave.id());
    assertFalse(held.lease().isHeld(), "it ends before the command is sent");
    return leave;
  }

  /** The woken thread runs at last, and asks. */
  private void asksAgain(GateThread party, Acquisition before, Future<Boolean> waiting) {
    store.assertNothingAsked();
    time.letGo(party.thread());
    assertNotEquals(before.id(), store.next("acquire").heldAfterOthers().id());
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void aHoldForWhichOthersHadWaitedGoesBackTenMillisecondsAfterItsAcquisition() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> waiting = waits(b);
    time.advance(Duration.ofMillis(4));
    passOn(a, b);

    goesBackAfter(held, HAND_OFF.minusMillis(4)).released();

    asksAgain(b, held, waiting);
  }

  @Test
  void aHoldThatNobodyAsksForGoesBackAfterASecond() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    goesBackAfter(held, UNASKED).released();

    asksAgain(b, held, waiting);
  }

  @Test
  void aHoldThatIsAskedForGoesBackTenMillisecondsLater() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    time.advance(UNASKED.dividedBy(2));
    wanted(held);
    time.advance(HAND_OFF.dividedBy(2));
    wanted(held);

    goesBackAfter(held, HAND_OFF.dividedBy(2)).released();

    asksAgain(b, held, waiting);
  }

  @Test
  void aHoldThatWasAskedForWhileItWasUsedGoesBackTenMillisecondsLater() {
    Acquisition held = holds(a);
    Future<Boolean> first = waits(b);
    unlock(a); // the first hand-off sets a timer
    assertTrue(GateThread.get(first));
    time.advance(UNASKED.dividedBy(2));
    wanted(held);
    Future<Boolean> waiting = waits(c);
    time.advance(Duration.ofMillis(3));
    passOn(b, c);

    goesBackAfter(held, HAND_OFF.minusMillis(3)).released();

    asksAgain(c, held, waiting);
  }

  @Test
  void whenMessagesMayBeMissedItGoesBackAtOnce() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    time.advance(HAND_OFF);
    missesMessages();

    assertEquals(held.id(), store.next("leave").released().id());
    asksAgain(b, held, waiting);
  }

  @Test
  void threadsThatTakeItMeanwhileDoNotMoveTheEnd() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    for (int i = 1; i < HAND_OFF.toMillis(); i++) {
      time.advance(Duration.ofMillis(1));
      assertTrue(c.says(lock::tryLock));
      unlock(c);
    }

    goesBackAfter(held, Duration.ofMillis(1)).released();

    asksAgain(b, held, waiting);
  }

  @Test
  void oneThatIsUsedAtTheEndIsGivenBackByItsThread() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    assertTrue(c.says(lock::tryLock));
    time.advance(HAND_OFF);
    store.assertNothingAsked();

    Future<Boolean> unlocking = c.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());

    assertTrue(GateThread.get(unlocking));
    asksAgain(b, held, waiting);
  }

  @Test
  void itIsRenewedByNobody() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    time.advance(LEASE.multipliedBy(2));

    assertEquals(held.id(), store.next("leave").released().id());
    asksAgain(b, held, waiting);
  }

  @Test
  @Tag("L11")
  void theThreadsOfTheGateKeepTheirOrder() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> first = waits(b);
    Future<Boolean> second = waits(c);
    passOn(a, b);
    AskedCommand leave = goesBackAfter(held, HAND_OFF);
    assertFalse(a.says(lock::tryLock), "two wait before it");
    leave.released();

    asksAgain(b, held, first);
    unlock(b);

    assertTrue(GateThread.get(second));
    store.assertNothingAsked();
  }

  @Test
  @Tag("L4")
  void theThreadMayGiveUpWhenItRuns() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> waiting = parked(b, b.does(() -> lock.tryLock(Duration.ofMillis(20))));
    passOn(a, b);
    goesBackAfter(held, HAND_OFF).released();
    time.advance(HAND_OFF);

    time.letGo(b.thread());

    assertFalse(GateThread.get(waiting));
    assertTrue(engine.gates().all().isEmpty());
  }

  @Test
  void otherKindsThatAreHandedOffGoBackToo() {
    engine.gates().useSeveralKinds();
    for (LockKind kind : List.of(LockKind.FENCED, LockKind.REDISSON)) {
      DistributedLock other = Handles.of(engine, keys.as(kind));
      GateThread next = party(kind + "");
      Future<Boolean> locking = a.runs(other::lock);
      Acquisition held = acquisition(store.next("acquire").held().id());
      assertTrue(GateThread.get(locking));
      Future<Boolean> waiting = parked(next, next.runs(other::lock));
      time.stopAtWake(next.thread());
      GateThread.get(a.runs(other::unlock));
      time.awaitWoken(next.thread());

      goesBackAfter(held, HAND_OFF).released();

      asksAgain(next, held, waiting);
      Future<Boolean> unlocking = next.runs(other::unlock);
      store.next("leave").released();
      assertTrue(GateThread.get(unlocking));
    }
  }
}
