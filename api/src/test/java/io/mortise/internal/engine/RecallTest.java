package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.MultiLock;
import io.mortise.OutcomeUnknownException;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.told.NotedEvents;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.QueueTimes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An attempt that does not wait, at a lock that another service may only keep. */
@Tag("L5")
class RecallTest extends GateFixture {
  private static final Duration RECALL = QueueTimes.RECALL;

  RecallTest() {
    super(new NotedEvents());
  }

  private List<List<String>> told() {
    return ((NotedEvents) listeners.get(0)).rows();
  }

  /** The attempt was refused, and has joined the queue with the same id. */
  private String joins() {
    AskedCommand first = store.next("acquire");
    assertFalse(first.joins());
    first.recalled();
    AskedCommand second = store.next("acquire");
    assertTrue(second.joins());
    assertEquals(first.id(), second.queued().id());
    return first.id();
  }

  private void granted(String id) {
    engine.mailbox().onMessage("grant|" + id + '|' + keys.lock());
    assertEquals(id, store.next("acquire").heldAfterOthers().id());
  }

  @Test
  void anAttemptGetsALockThatItsServiceOnlyKept() {
    Future<Boolean> trying = a.does(lock::tryLock);
    String id = joins();
    time.awaitParked(a.thread());

    granted(id);

    assertTrue(GateThread.get(trying));
    assertEquals(List.of(List.of("waiting", "acquired")), told());
  }

  @Test
  void anAttemptIsRefusedWhenTheTimeIsOver() {
    Future<Boolean> trying = a.does(lock::tryLock);
    String id = joins();
    time.awaitParked(a.thread());

    time.advance(RECALL.minusNanos(1));
    assertFalse(trying.isDone());
    time.advance(Duration.ofNanos(1));

    assertEquals(id, store.next("leave").absent().id());
    assertFalse(GateThread.get(trying));
    assertNull(engine.acquisitions().find(id));
    assertTrue(engine.gates().all().isEmpty());
    assertEquals(List.of(List.of("waiting", "BUSY")), told());
  }

  @Test
  void anAttemptIsRefusedAtOnceWhereSomebodyIsInside() {
    Future<Boolean> trying = a.does(lock::tryLock);

    store.next("acquire").busy();

    assertFalse(GateThread.get(trying));
    assertEquals(List.of(List.of("BUSY")), told());
  }

  @Test
  void anAttemptThatMayWaitForNoTimeAtAllIsOne() {
    Future<Boolean> trying = a.does(() -> lock.tryLock(Duration.ZERO));
    String id = joins();
    time.awaitParked(a.thread());

    granted(id);

    assertTrue(GateThread.get(trying));
  }

  @Test
  @Tag("L4")
  void anInterruptDoesNotEndIt() {
    Future<Boolean> trying = a.does(() -> lock.tryLock() && Thread.currentThread().isInterrupted());
    String id = joins();
    time.awaitParked(a.thread());
    a.thread().interrupt();
    time.awaitParked(a.thread());

    granted(id);

    assertTrue(GateThread.get(trying));
  }

  @Test
  @Tag("L14")
  void aFailureMeanwhileIsThrown() {
    Future<Boolean> trying = a.does(lock::tryLock);
    AskedCommand first = store.next("acquire").recalled();
    store.next("acquire").lost();
    time.awaitParked(a.thread());

    time.advance(RECALL);

    assertEquals(first.id(), store.next("leave").absent().id());
    Exception why = GateThread.failure(Exception.class, trying);
    assertTrue(
        why instanceof OutcomeUnknownException || why instanceof BackendUnavailableException,
        why::toString);
  }

  @Test
  @Tag("L11")
  void aThreadThatWaitsBehindItTakesItsPlace() {
    Future<Boolean> trying = a.does(lock::tryLock);
    String id = joins();
    time.awaitParked(a.thread());
    Future<Boolean> waiting = waits(b);

    time.advance(RECALL);

    assertFalse(GateThread.get(trying));
    time.awaitParked(b.thread());
    store.assertNothingAsked();
    granted(id);
    assertTrue(GateThread.get(waiting));
  }

  @Test
  void fairAndFencedAttemptsRecallToo() {
    engine.gates().useSeveralKinds();
    for (LockKind kind : List.of(LockKind.FAIR, LockKind.FENCED)) {
      DistributedLock other = Handles.of(engine, keys.as(kind));
      Future<Boolean> trying = a.does(other::tryLock);
      String id = joins();
      time.awaitParked(a.thread());
      granted(id);
      assertTrue(GateThread.get(trying));
      Future<Boolean> unlocking = a.runs(other::unlock);
      store.next("leave").released();
      assertTrue(GateThread.get(unlocking));
    }
  }

  // Leases

  @Test
  void aRequestForALeaseGetsALockThatItsServiceOnlyKept() {
    CompletableFuture<Optional<Lease>> trying =
        a.now(() -> lock.async().tryAcquire().toCompletableFuture());
    granted(joins());

    assertTrue(GateThread.get(trying).isPresent());
  }

  @Test
  void aRequestForALeaseIsRefusedWhenTheTimeIsOver() {
    Future<Optional<Lease>> trying = a.does(() -> lock.tryAcquire(Duration.ZERO));
    String id = joins();

    time.advance(RECALL.minusNanos(1));
    assertFalse(trying.isDone());
    time.advance(Duration.ofNanos(1));

    assertEquals(id, store.next("leave").absent().id());
    assertTrue(GateThread.get(trying).isEmpty());
    assertNull(engine.acquisitions().find(id));
    assertEquals(List.of(List.of("waiting", "BUSY")), told());
  }

  @Test
  void aRequestForALeaseIsRefusedAtOnceWhereSomebodyIsInside() {
    Future<Optional<Lease>> trying = a.does(() -> lock.tryAcquire(Duration.ZERO));

    store.next("acquire").busy();

    assertTrue(GateThread.get(trying).isEmpty());
  }

  // Locks of several

  private DistributedLock other() {
    return Handles.of(engine, LockKeys.of("mortise:", "other"));
  }

  /** Each with a command of its own. */
  private MultiLock several() {
    return MultiLock.of(lock, other().withLease(LEASE));
  }

  @Test
  void anAttemptForSeveralLocksByOneCommandRecallsTheOneThatRefusesIt() {
    Future<Boolean> trying = a.does(MultiLock.of(lock, other())::tryLock);
    store.next("acquire-all").refusedBy(2);
    store.next("acquire").held(); // what comes before it
    String second = joins();
    time.awaitParked(a.thread());
    granted(second);

    assertTrue(GateThread.get(trying));
  }

  @Test
  @Tag("L16")
  void anAttemptForSeveralLocksRecallsEach() {
    Future<Boolean> trying = a.does(several()::tryLock);
    String first = joins();
    time.awaitParked(a.thread());
    granted(first);
    String second = joins();
    time.awaitParked(a.thread());
    granted(second);

    assertTrue(GateThread.get(trying));
  }

  @Test
  void anAttemptForSeveralLocksThatWaitsRecallsNothingInItsTries() {
    MultiLock both = several();
    Future<Boolean> locking = a.runs(both::lock);
    store.next("acquire").held();
    AskedCommand second = store.next("acquire");
    second.recalled();
    store.next("leave").released(); // the first is given back, and the second waited for

    AskedCommand waits = store.next("acquire");
    assertTrue(waits.joins());
    waits.heldAfterOthers();
    store.next("acquire").held();
    assertTrue(GateThread.get(locking));
  }

  @Test
  void aRequestForSeveralLeasesRecallsEach() {
    CompletableFuture<Optional<Lease>> trying =
        a.now(() -> several().async().tryAcquire().toCompletableFuture());
    granted(joins());
    granted(joins());

    assertTrue(GateThread.get(trying).isPresent());
  }

  /** As a Redlock asks: it would wait for one member while it holds others. */
  @Test
  @Tag("L16")
  void aRequestThatMustNotWaitAtAllRecallsNothing() {
    CompletableFuture<LeaseOutcome> outcome = new CompletableFuture<>();
    Wanted wanted = new Wanted(keys, engine.store().defaultLease());

    engine.requests().start(wanted, LeaseSource.AT_ONCE, false, outcome);
    AskedCommand only = store.next("acquire");
    assertFalse(only.joins());
    only.recalled();

    assertEquals("other:1:1:i", GateThread.get(outcome).heldBy());
  }
}
