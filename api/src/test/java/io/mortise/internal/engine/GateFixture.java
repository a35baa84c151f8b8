package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockListener;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.ClientId;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.ServiceOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;

/** An engine on a stub store, and threads that share one gate. */
abstract class GateFixture {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration LONG = Duration.ofHours(1);

  final StubTime time = new StubTime();
  final StubStore store = new StubStore(time);
  final LockKeys keys = LockKeys.of("mortise:", "gate");
  final Engine engine;
  final List<LockListener> listeners;
  final DistributedLock lock;
  private final List<GateThread> parties = new ArrayList<>();

  final GateThread a = party("A");
  final GateThread b = party("B");
  final GateThread c = party("C");

  GateFixture(LockListener... listening) {
    this(settings(ServiceOptions.NO_LIMIT, Duration.ZERO), listening);
  }

  GateFixture(int handOffLimit) {
    this(settings(handOffLimit, Duration.ZERO));
  }

  GateFixture(ServiceOptions settings, LockListener... listening) {
    listeners = List.of(listening);
    engine =
        new Engine(ClientId.create(), store, settings, new LeaseEvents(listeners, Runnable::run));
    lock = Handles.of(engine, keys);
  }

  static ServiceOptions settings(int handOffLimit, Duration retain) {
    return settings(LEASE, handOffLimit, retain);
  }

  static ServiceOptions settings(Duration lease, int handOffLimit, Duration retain) {
    Duration timeout = Duration.ofSeconds(2);
    return new ServiceOptions(
        lease,
        null,
        timeout,
        "mortise:",
        handOffLimit,
        retain,
        false,
        false,
        false,
        null,
        QueueTimes.standard(timeout));
  }

  final GateThread party(String name) {
    GateThread party = new GateThread(name);
    parties.add(party);
    return party;
  }

  @AfterEach
  void everyCommandWasExpected() {
    store.assertNothingAsked();
  }

  @AfterEach
  void endParties() {
    parties.forEach(GateThread::end);
  }

  /** The thread acquires the lock from the store. */
  Acquisition holds(GateThread party) {
    Future<Boolean> locking = party.runs(lock::lock);
    AskedCommand acquire = store.next("acquire").held();
    GateThread.get(locking);
    return acquisition(acquire.id());
  }

  /** The thread acquires the lock from the store, for which others have waited. */
  Acquisition holdsAfterOthers(GateThread party) {
    Future<Boolean> locking = party.runs(lock::lock);
    AskedCommand acquire = store.next("acquire").heldAfterOthers();
    GateThread.get(locking);
    return acquisition(acquire.id());
  }

  /** The thread calls lock, and parks at the gate. */
  Future<Boolean> waits(GateThread party) {
    return parked(party, party.runs(lock::lock));
  }

  <T> Future<T> parked(GateThread party, Future<T> task) {
    time.awaitParked(party.thread());
    return task;
  }

  /**
   * The holder unlocks and hands the hold off. The woken waiter stops before it checks anything.
   */
  void passOn(GateThread holder, GateThread waiter) {
    time.stopAtWake(waiter.thread());
    unlock(holder);
    time.awaitWoken(waiter.thread());
    store.assertNothingAsked();
  }

  /** Unlocks, and checks that the hold goes back to the store and the next thread acquires anew. */
  void assertGivenBack(GateThread holder, Acquisition held, Future<Boolean> next) {
    Future<Boolean> unlocking = holder.runs(lock::unlock);
    assertEquals(held.id(), store.next("leave").released().id());
    assertTrue(GateThread.get(unlocking));
    assertNotEquals(held.id(), store.next("acquire").held().id());
    assertTrue(GateThread.get(next));
  }

  void unlock(GateThread party) {
    GateThread.get(party.runs(lock::unlock));
  }

  final Acquisition acquisition(String id) {
    Acquisition known = engine.acquisitions().find(id);
    if (known == null) {
      throw new AssertionError(id + " is not known");
    }
    return known;
  }

  /** The message comes that another process wants the lock. */
  void wanted(Acquisition held) {
    wanted(held.id());
  }

  void wanted(String id) {
    engine.mailbox().onMessage("wanted|" + id + '|' + keys.lock());
  }

  /** The connection for messages breaks, and is there again. */
  void missesMessages() {
    engine.mailbox().onInterrupted(new IllegalStateException("gone"));
    engine.mailbox().onSubscribed();
  }

  void forcedOpen(Acquisition held) {
    engine.mailbox().onMessage("lost|" + held.id() + '|' + keys.lock());
  }
}
