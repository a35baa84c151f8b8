package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.Registration;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.lock.MemberHandle;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A lease of a plain lock goes from one request of a service to the next without a command. What
 * semaphores have in common with it is in {@link PermitGateTest}.
 */
@Tag("L1")
@Tag("L12")
class LeaseGateTest extends LeaseGateFixture {
  private static final LockKeys KEYS = LockKeys.of("mortise:", "gate");

  /** How often unused gates are forgotten. */
  private static final Duration BEAT = Duration.ofMillis(100);

  private final GateThread a = new GateThread("A");
  private final GateThread b = new GateThread("B");
  private DistributedLock lock = Handles.of(engine, KEYS);

  LeaseGateTest() {
    super("");
  }

  @AfterEach
  void endThreads() {
    a.end();
    b.end();
  }

  private AsyncLock leases() {
    return lock.async();
  }

  private Lease holds() {
    return holds(leases());
  }

  private Queued queues() {
    return queues(leases());
  }

  private CompletableFuture<Lease> lines() {
    return lines(leases());
  }

  private void use(ServiceOptions settings) {
    engine = engine(settings);
    lock = Handles.of(engine, KEYS);
  }

  /** The thread locks, and waits in the store's queue. Returns the id of its service's gate. */
  private String queues(GateThread thread) {
    String id = store.next("acquire").queued().id();
    time.awaitParked(thread.thread());
    return id;
  }

  private void granted(String id) {
    engine.mailbox().onMessage("grant|" + id + '|' + KEYS.lock());
    assertEquals(id, store.next("acquire").heldAfterOthers().id());
  }

  @Test
  @Tag("L19")
  void aLeaseGoesToARequestThatWaitsHereWithoutACommand() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<Lease> third = lines();

    assertPassedOn(first, second);

    assertFalse(third.isDone());
    assertFalse(ahead.request().isDone());
    assertEquals(LeaseState.RELEASED, first.state());
    assertFalse(first.isValid());
    assertThrows(IllegalStateException.class, () -> first.extend(GateFixture.LEASE));
    first.close();
    assertPassedOn(second.join(), third);
    assertGivenBack(third.join(), ahead.request()).releasedTo(ahead.id());
    CompletableFuture<Void> last = ahead.request().join().releaseAsync();
    store.next("leave").released();
    last.join();
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }

  /** The next request has asked for as much as it has. */
  @Test
  void aLeaseThatWasExtendedByLessThanItHasIsPassedOn() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<Boolean> extended = first.extendAsync(Duration.ofSeconds(5));
    store.next("renew").renewed();
    assertTrue(extended.join());

    assertPassedOn(first, second);

    assertTrue(second.join().remaining().compareTo(Duration.ofSeconds(29)) > 0);
    assertGivenBack(second.join(), ahead.request()).releasedTo(ahead.id());
    CompletableFuture<Void> last = ahead.request().join().releaseAsync();
    store.next("leave").released();
    last.join();
  }

  /** Its length counts by what the next request wants, and not by the extension. */
  @Test
  void anExtensionMakesNoLeaseLongEnoughOfWhichLessThanHalfIsLeft() {
    use(GateFixture.settings(TIME.multipliedBy(2), ServiceOptions.NO_LIMIT, Duration.ZERO));
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    time.advance(Duration.ofMillis(7));
    AskedCommand renews = store.next("renew");
    time.advance(Duration.ofMillis(2).plusNanos(500_000));
    CompletableFuture<Boolean> extended = first.extendAsync(TIME);
    store.next("renew").renewed();
    assertTrue(extended.join());

    assertGivenBack(first, second).releasedTo(ahead.id());

    renews.lost();
    cancelAsking(ahead, second);
  }

  @Test
  void whatIsPassedOnKeepsNothingOfTheHolderBefore() {
    Queued[] ahead = new Queued[1];
    List<Lease> next = new ArrayList<>();
    WeakReference<Object> kept = passOnWithAListener(ahead, next);

    StubTime.until(
        "its listener is collected",
        () -> {
          System.gc();
          return kept.get() == null;
        });

    assertGivenBack(next.get(0), ahead[0].request()).releasedTo(ahead[0].id());
  }

  /** A method of its own, so that no frame refers to the first lease. */
  private WeakReference<Object> passOnWithAListener(Queued[] ahead, List<Lease> next) {
    Object used = new Object();
    Lease first = holds();
    first.onLost(change -> Objects.requireNonNull(used));
    ahead[0] = queues();
    CompletableFuture<Lease> second = lines();
    assertPassedOn(first, second);
    next.add(second.join());
    return new WeakReference<>(used);
  }

  @Test
  void withoutARequestAheadOfItARequestAsksTheStore() {
    Lease first = holds();
    Queued second = queues();

    assertGivenBack(first, second.request()).releasedTo(second.id());

    assertTrue(second.request().join().isValid());
  }

  @Test
  void aLeaseIsPassedOnForTenMillisecondsAndThenGivenBack() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    time.advance(TIME.minus(NANO));
    assertPassedOn(first, second);
    CompletableFuture<Lease> third = lines();

    time.pause(NANO);

    assertGivenBack(second.join(), third).releasedTo(ahead.id());
    cancelAsking(ahead, third);
  }

  @Test
  void passingOnDoesNotMoveTheEnd() {
    Lease holder = holds();
    Queued ahead = queues();
    for (int passed = 1; passed < TIME.toMillis(); passed++) {
      CompletableFuture<Lease> next = lines();
      time.advance(Duration.ofMillis(1));
      assertPassedOn(holder, next);
      holder = next.join();
    }
    CompletableFuture<Lease> last = lines();
    time.pause(Duration.ofMillis(1));

    assertGivenBack(holder, last).releasedTo(ahead.id());

    cancelAsking(ahead, last);
  }

  @Test
  @Tag("L10")
  void aRequestAsksWhenNothingMayBePassedOnAnyMore() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<Lease> third = lines();

    time.advance(TIME);

    store.next("acquire").queued();
    store.next("acquire").queued();
    Queued fourth = queues();
    assertTrue(first.isValid());
    for (CompletableFuture<Lease> each : List.of(ahead.request(), second, third)) {
      cancel(new Queued("", each));
    }
    cancel(fourth);
  }

  @Test
  @Tag("L10")
  void theFirstOfTheLineAsksWhenTheOneAheadGivesUp() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<Lease> third = lines();

    cancel(ahead);

    store.next("acquire").queued();
    assertPassedOn(first, third);
    cancel(new Queued("", second));
  }

  /** Else a service could pass leases on once for each of its places before another's. */
  @Test
  void aPlaceFromBeforeTheEndOfTheTimeBeginsNoOther() {
    Lease first = holds();
    Queued second = queues();
    time.advance(TIME);
    Queued third = queues();
    assertGivenBack(first, second.request()).releasedTo(second.id());
    Queued fourth = queues(); // the time is over, and the second has begun no other
    assertGivenBack(second.request().join(), third.request()).releasedTo(third.id());
    CompletableFuture<Lease> fifth = lines();

    assertPassedOn(third.request().join(), fifth);

    cancel(fourth);
  }

  @Test
  void allLeasesThatComeInThatTimeArePassedOnUntilItsEnd() {
    Lease first = holds();
    Queued second = queues();
    time.advance(Duration.ofMillis(4));
    assertGivenBack(first, second.request()).releasedTo(second.id());
    Queued ahead = queues();
    CompletableFuture<Lease> third = lines();
    time.advance(Duration.ofMillis(5));
    assertPassedOn(second.request().join(), third);
    CompletableFuture<Lease> fourth = lines();
    time.pause(Duration.ofMillis(1));

    assertGivenBack(third.join(), fourth).releasedTo(ahead.id());

    cancelAsking(ahead, fourth);
  }

  // The end of a lease

  @Test
  @Tag("L9")
  void whatIsLostIsNotPassedOn() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    List<LeaseState> changes = changesOf(first);
    forcedOpen(first);
    store.next("leave").absent();

    CompletionException failure =
        assertThrows(CompletionException.class, () -> first.releaseAsync().join());

    assertInstanceOf(LeaseLostException.class, failure.getCause());
    assertEquals(List.of(LeaseState.LOST), changes);
    assertFalse(second.isDone());
    assertEquals(List.of("acquired", "lost"), told.rows().get(0));
    cancel(ahead);
    store.next("acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  @Tag("L9")
  @Tag("L20")
  void aLossAfterItIsOfTheNextHolder() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    List<LeaseState> changesOfFirst = changesOf(first);
    assertPassedOn(first, second);
    List<LeaseState> changes = changesOf(second.join());

    forcedOpen(second.join());

    store.next("leave").absent();
    assertEquals(List.of(LeaseState.LOST), changes);
    assertEquals(List.of(), changesOfFirst);
    assertEquals(LeaseState.RELEASED, first.state());
    assertEquals(LeaseState.LOST, second.join().state());
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    assertEquals(List.of("waiting", "acquired", "lost"), told.rows().get(2));
    cancel(ahead);
  }

  @Test
  @Tag("L27")
  void aLockThatIsFreeLaterIsNotPassedOn() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();

    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(() -> first.closeAfter(Duration.ofMillis(50)));
    store.next("linger").released();
    closed.join();

    assertFalse(second.isDone());
    cancel(ahead);
    store.next("acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  void toReleaseTheOnePermitOfALeasePassesItOn() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();

    first.releaseAsync(1).join();

    store.assertNothingAsked();
    assertTrue(second.join().isValid());
    cancel(ahead);
  }

  @Test
  @Tag("L17")
  void aClosedServicePassesNothingOn() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();

    CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(engine::close);
    store.next("leave").absent();
    store.next("leave").released();

    assertTrue(closing.join());
    for (CompletableFuture<Lease> each : List.of(ahead.request(), second)) {
      CompletionException failure = assertThrows(CompletionException.class, each::join);
      assertInstanceOf(LockServiceClosedException.class, failure.getCause());
    }
    assertEquals(LeaseState.LOST, first.state());
  }

  /** A member of a lock of several may be closed before the requests of its service end. */
  @Test
  @Tag("L17")
  void aLeaseThatIsClosedWhileItsServiceClosesIsGivenBack() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<CompletableFuture<Void>> released = new CompletableFuture<>();
    Registration unused = engine.requests().onClose(() -> released.complete(first.releaseAsync()));

    CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(engine::close);
    store.next("leave").released();
    store.next("leave").released();

    assertTrue(closing.join());
    released.join().join();
    for (CompletableFuture<Lease> each : List.of(ahead.request(), second)) {
      CompletionException failure = assertThrows(CompletionException.class, each::join);
      assertInstanceOf(LockServiceClosedException.class, failure.getCause());
    }
  }

  @Test
  @Tag("L15")
  void aRequestThatGivesUpInTheLineLeavesNothing() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> cancelled = lines();
    CompletableFuture<Optional<Lease>> timed = leases().tryAcquire(Duration.ofMillis(5));
    CompletableFuture<Lease> last = lines();

    cancelled.cancel(false);
    time.advance(Duration.ofMillis(5));

    assertEquals(Optional.empty(), timed.join());
    assertPassedOn(first, last);
    assertEquals(2, engine.acquisitions().all().size(), "one is held, and one is ahead");
    cancel(ahead);
  }

  @Test
  @Tag("L4")
  void anInterruptEndsTheWaitInTheLine() {
    Lease first = holds();
    Queued ahead = queues();
    Future<Lease> acquiring = a.does(() -> lock.acquire());
    time.awaitParked(a.thread());
    store.assertNothingAsked();

    a.thread().interrupt();

    Exception unused = GateThread.failure(InterruptedException.class, acquiring);
    assertGivenBack(first, ahead.request()).releasedTo(ahead.id());
  }

  // Which leases

  @Test
  @Tag("L5")
  void anAttemptThatDoesNotWaitAsksTheStore() {
    Lease first = holds();
    Queued ahead = queues();
    for (CompletableFuture<Optional<Lease>> attempt :
        List.of(leases().tryAcquire(), leases().tryAcquire(Duration.ZERO))) {
      store.next("acquire").busy();

      assertEquals(Optional.empty(), attempt.join());
    }
    assertTrue(first.isValid());
    cancel(ahead);
  }

  @Test
  void leasesOfOtherKindsWaitInTheStore() {
    for (LockKind kind : List.of(LockKind.FAIR, LockKind.FENCED, LockKind.REDISSON)) {
      Lease first = holds();
      Queued ahead = queues();
      AsyncLock other = Handles.of(engine, KEYS.as(kind)).async();

      Queued second = queues(other);

      cancel(second);
      cancel(ahead);
      CompletableFuture<Void> closed = first.releaseAsync();
      store.next("leave").released();
      closed.join();
    }
  }

  @Test
  void leasesOfOtherKindsAreNotPassedOn() {
    for (LockKind kind : List.of(LockKind.FAIR, LockKind.FENCED, LockKind.REDISSON)) {
      CompletableFuture<Lease> other = Handles.of(engine, KEYS.as(kind)).async().acquire();
      store.next("acquire").held();
      Queued second = queues();

      Queued third = queues();

      assertGivenBack(other.join(), third.request()).released();
      cancel(third);
      cancel(second);
    }
  }

  @Test
  void leasesOfReadAndWriteLocksWaitInTheStore() {
    LockKeys write = LockKeys.readWrite("mortise:", "gate");
    for (LockKeys side : List.of(write, write.as(LockKind.READ))) {
      AsyncLock leases = Handles.of(engine, side).async();
      CompletableFuture<Lease> first = leases.acquire();
      store.next("rw-acquire").held();
      for (int i = 0; i < 2; i++) {
        CompletableFuture<Lease> waiting = leases.acquire();
        store.next("rw-acquire").queued();
        waiting.cancel(false);
        store.next("rw-leave").absent();
      }
      assertTrue(first.join().isValid());
    }
  }

  /** A lock of several asks each member at a time of its own choice, and in its order. */
  @Test
  @Tag("L16")
  void aMemberOfALockOfSeveralTakesNoPart() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<LeaseOutcome> member = new CompletableFuture<>();

    MemberHandle.of(lock, "").request(LeaseSource.FOREVER, member);

    String id = store.next("acquire").queued().id();
    CompletableFuture<Lease> second = lines();
    assertPassedOn(first, second);
    assertGivenBack(second.join(), ahead.request()).releasedTo(ahead.id());
    Queued third = queues(); // the member is not ahead of it
    assertGivenBack(ahead.request().join(), third.request()).releasedTo(id);
    CompletableFuture<Lease> fourth = lines();
    assertGivenBack(Objects.requireNonNull(member.join().lease()), fourth).releasedTo(third.id());
    cancelAsking(third, fourth);
  }

  @Test
  void leasesWithTermsOfTheirOwnTakeNoPart() {
    Duration own = GateFixture.LEASE;
    for (DistributedLock other : List.of(lock.withLease(own), lock.withMaxHold(own))) {
      Lease first = holds();
      Queued ahead = queues();

      Queued last = queues(other.async());

      assertGivenBack(first, last.request()).releasedTo(ahead.id());
      cancel(last);
      CompletableFuture<Void> closed = ahead.request().join().releaseAsync();
      store.next("leave").released();
      closed.join();
      time.advance(TIME);
    }
  }

  @Test
  void withoutHandOffsEachRequestAsksTheStore() {
    use(GateFixture.settings(0, Duration.ZERO));
    Lease first = holds();
    Queued second = queues();
    Queued third = queues();

    assertGivenBack(first, third.request()).releasedTo(second.id());

    cancel(third);
  }

  @Test
  void aLimitBoundsTheNumberToo() {
    use(GateFixture.settings(1, Duration.ZERO));
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    CompletableFuture<Lease> third = lines();
    assertPassedOn(first, second);

    assertGivenBack(second.join(), third).releasedTo(ahead.id());

    cancelAsking(ahead, third);
  }

  /** Others ask only for a hold that its service may keep, and its id says that. */
  @Test
  void aLeaseIsNeitherRetainedNorAskedFor() {
    use(GateFixture.settings(ServiceOptions.NO_LIMIT, GateFixture.LONG));
    Lease first = holds();
    assertTrue(held().id().endsWith(":n"), held()::id);
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    engine.mailbox().onMessage("wanted|" + held().id() + '|' + KEYS.lock());

    assertPassedOn(first, second);

    cancel(ahead);
    CompletableFuture<Void> closed = second.join().releaseAsync();
    store.next("leave").released();
    closed.join();
  }

  // Beside threads

  @Test
  void threadsAndLeasesPassNothingToEachOther() {
    Lease first = holds();
    Future<Boolean> locking = a.runs(lock::lock);
    String thread = queues(a);
    Queued ahead = queues();
    assertGivenBack(first, ahead.request()).released();
    granted(thread);
    assertTrue(GateThread.get(locking));
    CompletableFuture<Lease> second = lines();

    Future<Boolean> unlocking = a.runs(lock::unlock);

    AskedCommand leave = store.next("leave");
    assertFalse(second.isDone());
    leave.releasedTo(ahead.id());
    assertTrue(GateThread.get(unlocking));
    cancelAsking(ahead, second);
  }

  /** Or the two would keep a waiter of another process out by turns, without end. */
  @Test
  void handOffsOfThreadsBeginNoTimeOfLeasesAndTheOtherWayRound() {
    Lease first = holds();
    Future<Boolean> locking = a.runs(lock::lock);
    String thread = queues(a);
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    assertPassedOn(first, second);
    time.advance(TIME);
    assertGivenBack(second.join(), ahead.request()).released();
    granted(thread);
    assertTrue(GateThread.get(locking));
    Future<Boolean> next = b.runs(lock::lock);
    time.awaitParked(b.thread());
    GateThread.get(a.runs(lock::unlock)); // a hand-off
    assertTrue(GateThread.get(next));
    store.assertNothingAsked();

    Queued third = queues(); // no time of leases has begun

    Future<Boolean> again = a.runs(lock::lock);
    time.awaitParked(a.thread());
    time.advance(TIME);
    Future<Boolean> unlocking = b.runs(lock::unlock);
    store.next("leave").releasedTo(ahead.id()); // hand-offs of leases have not moved their end
    assertTrue(GateThread.get(unlocking));
    String behind = queues(a);
    Queued fourth = queues(); // nor has a place from before
    assertGivenBack(ahead.request().join(), fourth.request()).releasedTo(third.id());
    assertGivenBack(third.request().join(), fourth.request()).released();
    granted(behind);
    assertTrue(GateThread.get(again));
    cancel(fourth);
  }

  // What is seen

  @Test
  @Tag("L24")
  void aRequestThatLeavesTheLineIsShownUntilItEnds() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    time.advance(TIME);
    AskedCommand asking = store.next("acquire");

    assertEquals(2, engine.snapshot().waits().size(), "its first command is out");

    asking.queued();
    assertEquals(2, engine.snapshot().waits().size());
    cancel(ahead);
    cancel(new Queued(asking.id(), second));
    assertEquals(List.of(), engine.snapshot().waits());
    CompletableFuture<Void> closed = first.releaseAsync();
    store.next("leave").released();
    closed.join();
  }

  @Test
  @Tag("L24")
  void holdsAndWaitsShowThem() {
    Lease first = holds();
    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    String id = held().id();
    assertEquals(2, engine.snapshot().waits().size());
    time.advance(Duration.ofMillis(4));

    assertPassedOn(first, second);

    time.advance(Duration.ofMillis(3));
    assertEquals(1, engine.snapshot().waits().size());
    assertEquals(1, engine.snapshot().holds().size());
    assertEquals(id, engine.snapshot().holds().get(0).holder());
    assertEquals(Duration.ofMillis(3), engine.snapshot().holds().get(0).heldFor());
    cancel(ahead);
  }

  @Test
  void aGateIsKnownWhileItsTimeRuns() {
    CompletableFuture<Void> closed = holds().releaseAsync();
    store.next("leave").released();
    closed.join();
    time.advance(BEAT.minus(Duration.ofMillis(1)));
    Lease first = holds();

    time.advance(Duration.ofMillis(1)); // unused gates are forgotten

    Queued ahead = queues();
    CompletableFuture<Lease> second = lines();
    assertPassedOn(first, second);
    cancel(ahead);
  }

  @Test
  @Tag("L15")
  void aLockWhoseLeaseIsHeldForLongHasNoGate() {
    Lease first = holds();
    assertTrue(engine.requests().areLeaseGates());

    time.advance(Duration.ofSeconds(1));

    assertFalse(engine.requests().areLeaseGates());
    CompletableFuture<Void> closed = first.releaseAsync();
    store.next("leave").released();
    closed.join();
  }
}
