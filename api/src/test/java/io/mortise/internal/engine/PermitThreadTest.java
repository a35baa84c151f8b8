package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.Registration;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.ServiceOptions;
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
  private static final LockKeys KEYS = LockKeys.semaphore("mortise:", "gate");
  private static final Loss LOSS = new Loss(LossCause.KEY_GONE, "a test says so");

  private final DistributedSemaphore semaphore = Handles.semaphore(engine, KEYS);
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

  /** So short that a lease is renewed while it may be passed on. */
  private static ServiceOptions shortLease() {
    Duration timeout = Duration.ofSeconds(2);
    return new ServiceOptions(
        Duration.ofMillis(20),
        null,
        timeout,
        "mortise:",
        ServiceOptions.NO_LIMIT,
        Duration.ZERO,
        false,
        false,
        false,
        null,
        QueueTimes.standard(timeout));
  }

  /** What listeners of the semaphore are told of its leases from now on. */
  private List<LeaseState> allChanges() {
    List<LeaseState> changes = new ArrayList<>();
    Registration unused = engine.events().add(KEYS.lock(), change -> changes.add(change.state()));
    return changes;
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

  /**
   * A lease lies for a thread that waits.
   *
   * @param first what was given back
   * @param ahead a request that is ahead of the thread in the store
   * @param second what the thread waits for
   */
  private record Laid(Lease first, Queued ahead, Future<Lease> second) {}

  /** A lease lies for the thread A. It was woken, and does not look yet. */
  private Laid laid() {
    Lease first = holds();
    Laid laid = new Laid(first, queues(), lines(a));
    layFor(a, first);
    return laid;
  }

  /** The thread looks, and has the lease. No request is ahead any more. */
  private void assertTakenBy(GateThread party, Laid laid) {
    looks(party);
    assertTrue(GateThread.get(laid.second()).isValid());
    cancel(laid.ahead());
  }

  private void looks(GateThread party) {
    time.letGo(party.thread());
  }

  private void parksAgain(GateThread party) {
    looks(party);
    time.awaitParked(party.thread());
  }

  /** The thread looks in vain, and waits on. It asks when no request is ahead any more. */
  private void assertWaitsUntilItAsks(GateThread party, Future<Lease> waiting, Queued ahead) {
    parksAgain(party);
    assertFalse(waiting.isDone());
    cancel(ahead);
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(waiting).isValid());
  }

  @Test
  void aThreadTakesWhatItWasWokenFor() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);

    layFor(a, first);

    assertFalse(second.isDone());
    assertTrue(held().grant().endsAtClose());
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
    Laid laid = laid();

    Lease taken = b.now(semaphore::acquire);
    parksAgain(a);

    assertTrue(taken.isValid());
    assertFalse(laid.second().isDone());
    Future<Lease> third = lines(b);
    close(taken);
    assertTrue(GateThread.get(laid.second()).isValid());
    assertFalse(third.isDone());
    close(GateThread.get(laid.second()));
    assertTrue(GateThread.get(third).isValid());
    cancel(laid.ahead());
  }

  @Test
  void aThreadThatHasNotLookedYetIsWokenOnce() {
    Laid laid = laid();
    int before = time.unparks(a.thread());

    for (int i = 0; i < 3; i++) {
      close(b.now(semaphore::acquire));
    }

    assertEquals(before, time.unparks(a.thread()));
    assertTakenBy(a, laid);
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

    engine.mailbox().onMessage("grant|" + ahead.id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();

    AskedCommand asks = store.next("sem-acquire");
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    store.assertNothingAsked();
    asks.held();
    assertTrue(GateThread.get(third).isValid());
  }

  @Test
  void aThreadForWhichALeaseLiesAsksNothingWhenNoRequestIsAhead() {
    Laid laid = laid();

    engine.mailbox().onMessage("grant|" + laid.ahead().id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();

    store.assertNothingAsked();
    looks(a);
    assertTrue(GateThread.get(laid.second()).isValid());
  }

  @Test
  @Tag("L10")
  void whenARunningThreadTakesItTheOtherAsksIfNoRequestIsAhead() {
    Laid laid = laid();
    engine.mailbox().onMessage("grant|" + laid.ahead().id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();

    Lease taken = b.now(semaphore::acquire);

    store.next("sem-acquire").held();
    assertTrue(taken.isValid());
    looks(a);
    assertTrue(GateThread.get(laid.second()).isValid());
  }

  /** It is lost, so its thread takes nothing. */
  @Test
  @Tag("L10")
  void aThreadThatLooksInVainAsksWhenTheTimeOfTheLeaseIsOver() {
    Lease first = holds();
    Acquisition held = held();
    time.advance(SHORT);
    Lease other = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);
    engine.mailbox().onMessage("grant|" + ahead.id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();
    assertTrue(held.grant().lose(held, LOSS));
    store.next("sem-leave").absent();
    parksAgain(a);

    time.advance(TIME.minus(SHORT));

    store.next("sem-acquire").held();
    assertTrue(GateThread.get(second).isValid());
    assertTrue(other.isValid());
  }

  /** Its time passes between its first look at the clock and the gate. */
  @Test
  void aThreadThatIsLateToGiveBackLaysNothing() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    time.atRead(() ->
        time.atRead(() -> {
          time.atRead(() -> {});
          time.pause(TIME);
        }));

    CompletableFuture<Void> closed = first.releaseAsync();

    store.next("sem-leave").releasedTo(ahead.id());
    closed.join();
    store.next("sem-acquire").held();
    assertTrue(GateThread.get(second).isValid());
    assertTrue(ahead.request().isDone());
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
    Laid laid = laid();

    CompletableFuture<Lease> two = semaphore.async(2).acquire();

    store.next("sem-acquire").queued();
    assertTakenBy(a, laid);
    cancel(new Queued("", two));
  }

  /** It was laid in time, and the thread has not run since. */
  @Test
  @Tag("L10")
  void aThreadWhoseTimeIsOverTakesWhatWasLaidInTime() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Optional<Lease>> timed = a.does(() -> semaphore.tryAcquire(SHORT));
    time.awaitParked(a.thread());
    layFor(a, first);

    time.advance(SHORT);

    looks(a);
    assertTrue(GateThread.get(timed).orElseThrow().isValid());
    cancel(ahead);
  }

  /** A running thread has taken what it was woken for. */
  @Test
  @Tag("L10")
  void aThreadWhoseTimeIsOverLeavesWithoutALease() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Optional<Lease>> timed = a.does(() -> semaphore.tryAcquire(SHORT));
    time.awaitParked(a.thread());
    layFor(a, first);
    Lease taken = b.now(semaphore::acquire);

    time.advance(SHORT);

    looks(a);
    assertEquals(Optional.empty(), GateThread.get(timed));
    assertTrue(taken.isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L10")
  void anInterruptedThreadLeavesItToTheNext() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    Future<Lease> third = lines(b);
    layFor(a, first);

    a.thread().interrupt();
    looks(a);

    GateThread.failure(InterruptedException.class, second);
    assertTrue(GateThread.get(third).isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L10")
  void anInterruptedThreadLeavesItToARequestOfACallback() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    CompletableFuture<Lease> third = lines(semaphore.async(1));
    layFor(a, first);

    a.thread().interrupt();
    looks(a);

    GateThread.failure(InterruptedException.class, second);
    assertTrue(third.isDone());
    assertTrue(third.join().isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L10")
  void anInterruptedThreadGivesItBackIfNoneIsLeft() {
    Laid laid = laid();

    a.thread().interrupt();
    looks(a);

    GateThread.failure(InterruptedException.class, laid.second());
    store.next("sem-leave").releasedTo(laid.ahead().id());
    assertTrue(laid.ahead().request().isDone());
    assertEquals(1, engine.acquisitions().all().size());
  }

  @Test
  @Tag("L17")
  void aDrainedServiceGivesBackWhatLies() {
    Laid laid = laid();

    Future<Boolean> drained = b.does(() -> engine.drain(Duration.ofSeconds(1)));

    store.next("sem-leave").absent();
    store.next("sem-leave").released();
    assertTrue(GateThread.get(drained));
    looks(a);
    GateThread.failure(LockServiceClosedException.class, laid.second());
    assertTrue(laid.ahead().request().isCompletedExceptionally());
  }

  /** A later acquisition gives the line more time, and this lease none. */
  @Test
  void itLiesNoLongerThanItsOwnTime() {
    Lease first = holds();
    time.advance(SHORT);
    Lease other = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    layFor(a, first);

    time.advance(TIME.minus(SHORT));

    store.next("sem-leave").released();
    parksAgain(a);
    assertFalse(second.isDone());
    close(other);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  void eachLiesNoLongerThanItsOwnTime() {
    Lease first = holds();
    time.advance(Duration.ofMillis(3));
    Lease second = holds();
    time.advance(Duration.ofMillis(2));
    Lease third = holds();
    Queued ahead = queues();
    Future<Lease> byA = lines(a);
    Future<Lease> byB = lines(b);
    layFor(a, first);
    layFor(b, second);

    time.advance(TIME.minusMillis(5));
    store.next("sem-leave").released();
    store.assertNothingAsked();
    time.advance(Duration.ofMillis(3));
    store.next("sem-leave").released();

    parksAgain(a);
    parksAgain(b);
    close(third);
    close(GateThread.get(byA));
    assertTrue(GateThread.get(byB).isValid());
    cancel(ahead);
  }

  @Test
  void whatNobodyHasTakenWhenTheTimeIsOverGoesBack() {
    Laid laid = laid();

    time.advance(TIME);

    store.assertAsked(List.of("sem-leave", "sem-acquire"));
    store.next("sem-leave").releasedTo(laid.ahead().id());
    String asks = store.next("sem-acquire").queued().id();
    parksAgain(a);
    assertFalse(laid.second().isDone());
    CompletableFuture<Void> closed = laid.ahead().request().join().releaseAsync();
    store.next("sem-leave").releasedTo(asks);
    closed.join();
    assertTrue(GateThread.get(laid.second()).isValid());
  }

  /** The timer is late, and threads come before it. */
  @Test
  void whatIsTooOldIsNotTaken() {
    Laid laid = laid();
    time.pause(TIME);

    Future<Lease> third = b.does(semaphore::acquire);

    store.next("sem-acquire").held();
    assertTrue(GateThread.get(third).isValid());
    store.next("sem-leave").released();
    assertWaitsUntilItAsks(a, laid.second(), laid.ahead());
  }

  @Test
  @Tag("S2")
  void anAttemptTakesNothingThatLies() {
    Laid laid = laid();

    Future<Optional<Lease>> attempt = b.does(semaphore::tryAcquire);

    store.next("sem-acquire").busy();
    assertEquals(Optional.empty(), GateThread.get(attempt));
    assertTakenBy(a, laid);
  }

  /** The one that finds the loss has read the owner before, and the lease went on. */
  @Test
  @Tag("L9")
  void aLossIsToldToTheHolderOfThatMoment() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    Acquisition held = held();
    Acquisition.Grant before = held.grant();
    layFor(a, first);
    Acquisition.Grant between = held.grant();
    looks(a);
    List<LeaseState> changes = changesOf(GateThread.get(second));

    assertTrue(between.lose(held, LOSS));

    assertEquals(List.of(LeaseState.LOST), changes);
    assertEquals(List.of("waiting", "acquired", "lost"), told.rows().get(2));
    assertFalse(before.lose(held, LOSS));
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    store.next("sem-leave").absent();
    cancel(ahead);
  }

  @Test
  @Tag("L9")
  void aLossThatIsFoundForTheLastHolderIsToldToNobodyIfItLies() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    List<LeaseState> changes = allChanges();
    Acquisition held = held();
    Acquisition.Grant before = held.grant();
    layFor(a, first);

    assertTrue(before.lose(held, LOSS));

    assertEquals(List.of(), changes);
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    store.next("sem-leave").absent();
    assertWaitsUntilItAsks(a, second, ahead);
  }

  @Test
  @Tag("L9")
  void aDoubtThatComesAndGoesWhileItLiesIsToldToNobody() {
    engine = engine(shortLease());
    DistributedSemaphore renewed = Handles.semaphore(engine, KEYS);
    List<LeaseState> changes = allChanges();
    Lease first = holds(renewed.async(1));
    Queued ahead = queues(renewed.async(1));
    Future<Lease> second = a.does(renewed::acquire);
    time.awaitParked(a.thread());
    time.advance(Duration.ofMillis(6));
    AskedCommand renews = store.next("renew");
    CompletableFuture<Boolean> extended = first.extendAsync(Duration.ofMillis(20));
    AskedCommand extending = store.next("renew");
    layFor(a, first);

    renews.lost();
    assertEquals(List.of(), changes);
    extending.renewed();

    assertTrue(extended.join());
    assertEquals(List.of(), changes);
    time.advance(TIME);
    store.next("sem-leave").released();
    store.next("sem-acquire").held();
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L9")
  void whatLayAndIsNotFoundIsToldToNobody() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    List<LeaseState> changes = allChanges();
    layFor(a, first);

    time.advance(TIME);

    store.next("sem-leave").absent();
    store.next("sem-acquire").held();
    assertEquals(List.of(), changes);
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    looks(a);
    assertTrue(GateThread.get(second).isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L9")
  void whatIsLostWhileItLiesIsTakenByNobodyAndToldToNobody() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> second = lines(a);
    List<LeaseState> changes = allChanges();
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
    Laid laid = laid();

    Future<Boolean> closing = b.does(engine::close);

    store.next("sem-leave").absent();
    store.next("sem-leave").released();
    assertTrue(GateThread.get(closing));
    looks(a);
    assertEquals(
        LockServiceClosedException.class,
        GateThread.failure(LockServiceClosedException.class, laid.second()).getClass());
    assertTrue(laid.ahead().request().isCompletedExceptionally());
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }
}
