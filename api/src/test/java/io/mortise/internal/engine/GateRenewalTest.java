package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LeaseState;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A renewal while a hold is handed off. The lease is shorter than a hold may lie. */
@Tag("L8")
@Tag("L12")
class GateRenewalTest extends GateFixture {
  private static final Duration SHORT = Duration.ofMillis(900);

  GateRenewalTest() {
    super(settings(SHORT, ServiceOptions.NO_LIMIT, Duration.ZERO));
  }

  @Test
  void aRenewalInFlightCountsForTheHolderAtItsAnswer() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    long whole = held.lease().untilLost(time.nanoTime());
    passOn(a, b);
    time.advance(SHORT.dividedBy(3));
    AskedCommand renewal = store.next("renew");
    time.letGo(b.thread());
    assertTrue(GateThread.get(waiting));

    renewal.renewed();

    assertEquals(whole, held.lease().untilLost(time.nanoTime()));
    assertEquals(LeaseState.HELD, b.now(lock::leaseState));
  }

  @Test
  void aSuspectHoldMayStillBeTaken() {
    holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);

    time.advance(SHORT.dividedBy(3));
    store.next("renew").lost();
    time.letGo(b.thread());

    assertTrue(GateThread.get(waiting));
    assertEquals(LeaseState.SUSPECT, b.now(lock::leaseState));
  }

  @Test
  void aHoldThatLiesIsRenewedOnlyWhileItMayLie() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    passOn(a, b);
    for (int renewals = 0; renewals < 3; renewals++) {
      time.advance(SHORT.dividedBy(3));
      assertEquals(held.id(), store.next("renew").renewed().id());
    }

    time.advance(LEASE);

    assertEquals(held.id(), store.next("leave").released().id());
    store.assertNothingAsked();
    time.letGo(b.thread());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));
  }
}
