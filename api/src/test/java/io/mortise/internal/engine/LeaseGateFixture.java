package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.internal.told.NotedEvents;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;

/** An engine on a stub store, and requests for leases that wait at the store or in the service. */
abstract class LeaseGateFixture {
  static final Duration TIME = ServiceOptions.HAND_OFF_TIME;
  static final Duration NANO = Duration.ofNanos(1);

  final StubTime time = new StubTime();
  final StubStore store = new StubStore(time);
  final NotedEvents told = new NotedEvents();
  Engine engine = engine(GateFixture.settings(ServiceOptions.NO_LIMIT, Duration.ZERO));
  private final String acquire;
  private final String leave;

  /**
   * @param family the prefix of the names of the scripts
   */
  LeaseGateFixture(String family) {
    acquire = family + "acquire";
    leave = family + "leave";
  }

  final Engine engine(ServiceOptions settings) {
    return new Engine(
        ClientId.create(), store, settings, new LeaseEvents(List.of(told), Runnable::run));
  }

  @AfterEach
  void everyCommandWasExpected() {
    store.assertNothingAsked();
  }

  /** A request that asks the store, and gets its lease at once. */
  final Lease holds(AsyncLock from) {
    CompletableFuture<Lease> request = from.acquire();
    store.next(acquire).held();
    return request.join();
  }

  /** A request that asks the store, and waits in its queue. */
  final Queued queues(AsyncLock from) {
    CompletableFuture<Lease> request = from.acquire();
    return new Queued(store.next(acquire).queued().id(), request);
  }

  record Queued(String id, CompletableFuture<Lease> request) {}

  /** A request that asks for nothing, and waits in the service. */
  final CompletableFuture<Lease> lines(AsyncLock from) {
    CompletableFuture<Lease> request = from.acquire();
    store.assertNothingAsked();
    assertFalse(request.isDone());
    return request;
  }

  final void close(Lease lease) {
    CompletableFuture<Void> closed = lease.releaseAsync();
    assertTrue(closed.isDone());
    closed.join();
  }

  final void assertPassedOn(Lease from, CompletableFuture<Lease> to) {
    close(from);
    store.assertNothingAsked();
    assertTrue(to.isDone());
    assertTrue(to.join().isValid());
  }

  /** Closes the lease, and checks that what it had goes back to the store. */
  final AskedCommand assertGivenBack(Lease from, CompletableFuture<Lease> waiting) {
    CompletableFuture<Void> closed = from.releaseAsync();
    AskedCommand command = store.next(leave);
    assertFalse(waiting.isDone());
    assertFalse(closed.isDone());
    return command;
  }

  /** Ends a request that has asked the store. */
  final void cancel(Queued queued) {
    assertTrue(queued.request.cancel(false));
    store.next(leave).absent();
  }

  /** The one ahead has its lease, so the next has asked. */
  final void cancelAsking(Queued ahead, CompletableFuture<Lease> next) {
    assertTrue(ahead.request.isDone());
    store.next(acquire).queued();
    cancel(new Queued("", next));
  }

  static List<LeaseState> changesOf(Lease lease) {
    List<LeaseState> changes = new ArrayList<>();
    Lease unused = lease.onLost(change -> changes.add(change.state()));
    return changes;
  }

  /** The acquisition that is held. */
  final Acquisition held() {
    return engine.acquisitions().all().stream()
        .filter(each -> each.lease().isHeld())
        .findFirst()
        .orElseThrow();
  }

  /** Another service forces this lease to end. */
  final void forcedOpen(Lease lease) {
    assertTrue(lease.isValid());
    Acquisition held = held();
    engine.mailbox().onMessage("lost|" + held.id() + '|' + held.keys().lock());
  }
}
