package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long a service hands off a hold before other processes get the lock. */
@Tag("L12")
class GateLimitTest extends GateFixture {
  private static final Duration HAND_OFF_TIME = ServiceOptions.HAND_OFF_TIME;

  @Test
  void aHoldIsHandedOffAsOftenAsThereIsTime() {
    Acquisition held = holdsAfterOthers(a);
    List<Future<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(passesThrough(party("waiter-" + i)));
    }
    Future<Boolean> last = waits(b);

    unlock(a);

    for (Future<Boolean> each : waiting) {
      assertTrue(GateThread.get(each));
    }
    assertTrue(GateThread.get(last));
    store.assertNothingAsked();
    time.advance(HAND_OFF_TIME);
    assertGivenBack(b, held, waits(c));
  }

  @Test
  void handOffsDoNotMoveTheirEnd() {
    Acquisition held = holdsAfterOthers(a);
    GateThread holder = a;
    for (int passed = 1; passed < HAND_OFF_TIME.toMillis(); passed++) {
      GateThread next = holder == a ? b : a;
      Future<Boolean> waiting = waits(next);
      time.advance(Duration.ofMillis(1));
      unlock(holder);
      assertTrue(GateThread.get(waiting));
      holder = next;
    }
    store.assertNothingAsked();
    time.advance(Duration.ofMillis(1));

    assertGivenBack(holder, held, waits(c));
  }

  private Future<Boolean> passesThrough(GateThread party) {
    return parked(
        party,
        party.runs(() -> {
          lock.lock();
          lock.unlock();
        }));
  }

  @Test
  void aHoldIsHandedOffForTenMillisecondsAndThenReleased() {
    Acquisition held = holdsAfterOthers(a);
    Future<Boolean> first = waits(b);
    time.advance(Duration.ofNanos(9_999_999));
    unlock(a);
    assertTrue(GateThread.get(first));
    store.assertNothingAsked();
    Future<Boolean> second = waits(c);

    time.advance(Duration.ofNanos(1));

    assertGivenBack(b, held, second);
  }

  @Test
  void aHoldWithHalfItsLeaseIsHandedOff() {
    holdsAfter(LEASE.dividedBy(2).minusMillis(1));
    Future<Boolean> next = waits(b);

    unlock(a);

    assertTrue(GateThread.get(next));
    store.assertNothingAsked();
  }

  @Test
  void aHoldWithLessThanHalfItsLeaseIsGivenBack() {
    Acquisition held = holdsAfter(LEASE.dividedBy(2));
    Future<Boolean> next = waits(b);

    assertGivenBack(a, held, next);
  }

  /** A lease counts from when its command was sent. Here the answer took that long. */
  private Acquisition holdsAfter(Duration delay) {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand acquire = store.next("acquire");
    time.pause(delay);
    acquire.held();
    assertTrue(GateThread.get(locking));
    return acquisition(acquire.id());
  }

  @Test
  void aFixedLeaseIsNeverHandedOffAndGetsNoHandOff() {
    DistributedLock fixed = Handles.of(engine, keys, LeaseTerms.fixed(LEASE));
    Acquisition held = holds(a);
    Future<Boolean> second = parked(b, b.runs(fixed::lock));
    assertGivenBack(a, held, second);
    Acquisition own = engine.acquisitions().all().iterator().next();
    Future<Boolean> third = waits(c);

    assertGivenBack(b, own, third);
  }

  @Test
  void aSuspectHoldIsGivenBack() {
    Acquisition held = holds(a);
    assertTrue(held.lease().suspect("no answer"));
    Future<Boolean> next = waits(b);

    assertGivenBack(a, held, next);
  }
}
