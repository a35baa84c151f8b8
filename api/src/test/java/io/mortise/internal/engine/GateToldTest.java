package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.internal.told.NotedEvents;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What listeners are told at moments that are hard to meet. */
@Tag("L20")
@Tag("L23")
class GateToldTest extends GateFixture {
  GateToldTest() {
    super(new NotedEvents());
  }

  private List<List<String>> rows() {
    return ((NotedEvents) listeners.get(0)).rows();
  }

  /** The two halves of an unlock, and the loss between them. */
  @Test
  void aHoldThatWasHandedOffIsReleasedAlsoIfItIsLostBeforeTheNextThreadTakesIt() {
    Acquisition held = holds(a);
    ThreadGrant gate = (ThreadGrant) held.grant();
    Hold own = gate.hold();
    assertNotNull(own);
    Future<Boolean> waiting = waits(b);
    time.stopAtWake(b.thread());

    assertTrue(a.says(() -> gate.exit(own, time.nanoTime(), engine.store().asking()).finish()));
    forcedOpen(held);
    store.next("leave").absent();
    GateThread.get(a.runs(() -> engine.events().attempts().released(own, time)));

    time.letGo(b.thread());
    store.next("acquire").held();
    assertTrue(GateThread.get(waiting));

    assertEquals(List.of("acquired", "released"), rows().get(0));
    assertEquals(List.of("waiting", "acquired"), rows().get(1));
  }

  @Test
  @Tag("L24")
  void aThreadThatPausesAfterAReplyThatCameTooLateWaits() {
    Future<Boolean> locking = a.runs(lock::lock);
    AskedCommand tooSlow = store.next("acquire");
    assertEquals(List.of(), engine.snapshot().waits());
    time.pause(LEASE);
    tooSlow.held();
    store.next("leave").released();
    time.awaitParked(a.thread());

    assertEquals(List.of(List.of("waiting")), rows());
    assertEquals(1, engine.snapshot().waits().size());
    time.advance(Duration.ofSeconds(1));
    store.next("acquire").held();
    assertTrue(GateThread.get(locking));
    assertEquals(List.of(List.of("waiting", "acquired")), rows());
    assertEquals(List.of(), engine.snapshot().waits());
  }

  @Test
  @Tag("L24")
  void aThreadThatWaitedForAnotherIsShownWhileItsFirstCommandIsOut() {
    Acquisition held = holds(a);
    Future<Boolean> waiting = waits(b);
    assertEquals(1, engine.snapshot().waits().size());
    forcedOpen(held);
    store.next("leave").absent();
    AskedCommand asking = store.next("acquire");

    assertEquals(1, engine.snapshot().waits().size());

    asking.held();
    assertTrue(GateThread.get(waiting));
    assertEquals(List.of(), engine.snapshot().waits());
  }

  @Test
  @Tag("L24")
  void aLeaseRequestThatPausesAfterAReplyThatCameTooLateWaits() throws Exception {
    AsyncLock leases = lock.async();
    CompletableFuture<Lease> request = leases.acquire();
    AskedCommand tooSlow = store.next("acquire");
    time.pause(LEASE);
    tooSlow.held();
    store.next("leave").released();

    assertEquals(List.of(List.of("waiting")), rows());
    assertEquals(1, engine.snapshot().waits().size());
    time.advance(Duration.ofSeconds(5));
    store.next("acquire").held();
    assertTrue(request.get(20, TimeUnit.SECONDS).isValid());
    assertEquals(List.of(List.of("waiting", "acquired")), rows());
  }
}
