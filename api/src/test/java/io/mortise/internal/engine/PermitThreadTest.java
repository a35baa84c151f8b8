package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Permits that are given back lie at the gate until a thread takes them: one that runs, or waits.
 */
@Tag("L12")
@Tag("S1")
@Tag("S2")
class PermitThreadTest extends LeaseGateFixture {
  private static final Duration SHORT = Duration.ofMillis(5);

  private final DistributedSemaphore semaphore =
      Handles.semaphore(engine, LockKeys.semaphore("mortise:", "gate"));
  private final List<GateThread> parties = new ArrayList<>();
  private final GateThread a = party("A");
  private final GateThread b = party("B");

  PermitThreadTest() {
    super("sem-");
  }

  private GateThread party(String name) {
    GateThread party = new GateThread(name);
    parties.add(party);
    return party;
  }

  @AfterEach
  void endParties() {
    parties.forEach(GateThread::end);
  }

  private Lease holds() {
    return holds(semaphore.async(1));
  }

  private Queued queues() {
    return queues(semaphore.async(1));
  }

  /** The thread waits in the line. */
  private Future<Lease> lines(GateThread party) {
    Future<Lease> waiting = party.does(semaphore::acquire);
    time.awaitParked(party.thread());
    return waiting;
  }

  /** The thread is woken for what the lease gives back, and does not look yet. */
  private void layFor(GateThread party, Lease from) {
    time.stopAtWake(party.thread());
    close(from);
    time.awaitWoken(party.thread());
    store.assertNothingAsked();
  }

  private void looks(GateThread party) {
    time.letGo(party.thread());
  }

  private void parksAgain(GateThread party) {
    looks(party);
    time.awaitParked(party.thread());
  }

  @Test
  void aThreadTakesWhatItWasWokenFor() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);

    layFor(a, first);

    assertFalse(second.isDone());
    assertEquals(LeaseState.RELEASED, first.state());
    assertEquals(List.of(), engine.snapshot().holds());
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    assertEquals(1, engine.snapshot().holds().size());
    assertEquals(List.of("waiting", "acquired"), told.rows().get(2));
    cancel(ahead);
  }

  @Test
  void aRunningThreadTakesItFirstAndTheOtherStaysInItsPlace() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    Lease taken = b.now(semaphore::acquire);
    parksAgain(a);

    assertTrue(taken.isValid());
    assertFalse(second.isDone());
    Future<Lease> third = lines(b);
    close(taken);
    assertTrue(GateThread.get(second).isValid());
    assertFalse(third.isDone());
    close(GateThread.get(second));
    assertTrue(GateThread.get(third).isValid());
    cancel(ahead);
  }

  @Test
  void aThreadThatHasNotLookedYetIsWokenOnce() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);
    int before = time.unparks(a.thread());

    for (int i = 0; i < 3; i++) {
      close(b.now(semaphore::acquire));
    }

    assertEquals(before, time.unparks(a.thread()));
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  /** The thread sleeps elsewhere between lining up and its first sleep here. */
  @Test
  @Tag("L10")
  void aWakeUpThatComesWhileTheThreadSleepsElsewhereIsNotLost() {
    Lease first = holds();
    Queued ahead = queues();
    told.atWaiting(() -> {
      close(first);
      LockSupport.park(); // as a lock that the listener waits for: the wake-up is gone
    });

    Future<Lease> second = a.does(semaphore::acquire);

    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  void forEachLeaseAnotherThreadIsWoken() {
    Lease first = holds();
    Lease other = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    Future<Lease> third = lines(b);
    layFor(a, first);

    layFor(b, other);

    looks(b);
    assertTrue(GateThread.get(third).isValid());
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  void withoutAnotherThreadToWakePermitsGoToTheStore() {
    Lease first = holds();
    Lease other = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    assertGivenBack(other, ahead.request()).released();

    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L10")
  void theFirstForWhichNothingLiesAsksWhenNoRequestIsAhead() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    Future<Lease> third = lines(b);
    layFor(a, first);

    engine.mailbox().onMessage("granted|" + ahead.id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();

    AskedCommand asks = store.next("sem-acquire");
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    store.assertNothingAsked();
    asks.held();
    assertTrue(GateThread.get(third).isValid());
  }

  @Test
  void aRequestOfACallbackGetsItsLeaseAtOnce() {
    Lease first = holds();
    Lease other = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    CompletableFuture<Lease> third = lines(semaphore.async(1));
    layFor(a, first);

    assertPassedOn(other, third);

    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  void onlyForAsManyItIsTaken() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    CompletableFuture<Lease> two = semaphore.async(2).acquire();

    store.next("sem-acquire").queued();
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
    cancel(new Queued("", two));
  }

  @Test
  @Tag("L10")
  void aThreadWhoseTimeIsOverLeavesItToTheNext() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Optional<Lease>> timed = a.does(() -> semaphore.tryAcquire(SHORT));
    time.awaitParked(a.thread());
    Future<Lease> next = lines(b);
    layFor(a, first);

    time.advance(SHORT);

    assertTrue(GateThread.get(next).isValid());
    looks(a);
    assertEquals(Optional.empty(), GateThread.get(timed));
    cancel(ahead);
  }

  @Test
  @Tag("L10")
  void aThreadWhoseTimeIsOverGivesItBackIfNoneIsLeft() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Optional<Lease>> timed = a.does(() -> semaphore.tryAcquire(SHORT));
    time.awaitParked(a.thread());
    layFor(a, first);

    time.advance(SHORT);

    store.next("sem-leave").releasedTo(ahead.id());
    assertTrue(ahead.request().isDone());
    looks(a);
    assertEquals(Optional.empty(), GateThread.get(timed));
    assertEquals(1, engine.acquisitions().all().size());
  }

  @Test
  void whatNobodyHasTakenWhenTheTimeIsOverGoesBack() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    time.advance(TIME);

    String asks = store.next("sem-acquire").queued().id();
    store.next("sem-leave").releasedTo(ahead.id());
    parksAgain(a);
    assertFalse(second.isDone());
    CompletableFuture<Void> closed = ahead.request().join().releaseAsync();
    store.next("sem-leave").releasedTo(asks);
    closed.join();
    assertTrue(GateThread.get(second).isValid());
  }

  /** The timer is late, and a thread comes before it. */
  @Test
  void whatIsTooOldIsNotTaken() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);
    time.pause(TIME);

    Future<Lease> third = b.does(semaphore::acquire);

    store.next("sem-leave").released();
    AskedCommand asks = store.next("sem-acquire");
    asks.held();
    assertTrue(GateThread.get(third).isValid());
    parksAgain(a);
    assertFalse(second.isDone());
    cancel(ahead);
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(second).isValid());
  }

  @Test
  @Tag("L9")
  void whatIsLostWhileItLiesIsTakenByNobodyAndToldToNobody() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    List<LeaseState> changes = changesOf(first);
    layFor(a, first);
    Acquisition lies = held();

    engine.mailbox().onMessage("lost|" + lies.id() + '|' + lies.keys().lock());

    store.next("sem-leave").absent();
    parksAgain(a);
    assertFalse(second.isDone());
    assertEquals(List.of(), changes);
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    cancel(ahead);
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(second).isValid());
  }

  @Test
  @Tag("L17")
  void aClosedServiceGivesBackWhatLies() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    Future<Boolean> closing = b.does(engine::close);

    store.next("sem-leave").absent();
    store.next("sem-leave").released();
    assertTrue(GateThread.get(closing));
    looks(a);
    assertEquals(
        LockServiceClosedException.class,
        GateThread.failure(LockServiceClosedException.class, second).getClass());
    assertTrue(ahead.request().isCompletedExceptionally());
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }
}
