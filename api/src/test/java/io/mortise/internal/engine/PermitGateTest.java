package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.lock.Handles;
import io.mortise.internal.wire.LockKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits go from one lease of a service to the next without a command. One thread does it all. */
@Tag("L12")
@Tag("S1")
@Tag("S2")
class PermitGateTest extends LeaseGateFixture {
  private DistributedSemaphore semaphore = semaphore();

  PermitGateTest() {
    super("sem-");
  }

  private DistributedSemaphore semaphore() {
    return Handles.semaphore(engine, LockKeys.semaphore("mortise:", "gate"));
  }

  private Lease holds(int permits) {
    return holds(semaphore.async(permits));
  }

  private Queued queues(int permits) {
    return queues(semaphore.async(permits));
  }

  private CompletableFuture<Lease> lines(int permits) {
    return lines(semaphore.async(permits));
  }

  @Test
  void permitsGoToARequestThatWaitsHereWithoutACommand() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = lines(1);

    assertPassedOn(first, second);

    assertFalse(third.isDone());
    assertFalse(ahead.request().isDone());
    assertEquals(LeaseState.RELEASED, first.state());
    assertEquals(Duration.ZERO, first.remaining());
    assertThrows(IllegalStateException.class, () -> first.extend(Duration.ofSeconds(1)));
    assertThrows(IllegalStateException.class, () -> first.release(1));
    first.close();
    assertPassedOn(second.join(), third);
    third.cancel(false);
    assertGivenBack(third.join(), ahead.request()).releasedTo(ahead.id());
    assertTrue(ahead.request().isDone());
    CompletableFuture<Void> last = ahead.request().join().releaseAsync();
    store.next("sem-leave").released();
    last.join();
    assertEquals(List.of(), List.copyOf(engine.acquisitions().all()));
  }

  @Test
  void withoutARequestAheadOfItARequestAsksTheStore() {
    Lease first = holds(1);
    Queued second = queues(1);

    assertGivenBack(first, second.request()).releasedTo(second.id());

    assertTrue(second.request().join().isValid());
  }

  @Test
  void onlyARequestForAsManyGetsThem() {
    Lease one = holds(1);
    Lease two = holds(2);
    Queued ahead = queues(1);
    CompletableFuture<Lease> wantsTwo = lines(2);
    CompletableFuture<Lease> wantsOne = lines(1);

    assertPassedOn(one, wantsOne);
    assertFalse(wantsTwo.isDone());
    assertPassedOn(two, wantsTwo);
    Queued three = queues(3);
    cancel(ahead);
    cancel(three);
  }

  @Test
  void permitsArePassedOnForTenMillisecondsAndThenGivenBack() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    time.advance(TIME.minus(NANO));
    assertPassedOn(first, second);
    CompletableFuture<Lease> third = lines(1);

    time.pause(NANO);

    assertGivenBack(second.join(), third).released();
    cancel(ahead); // the next in the line asks in its place
    store.next("sem-acquire").held();
    assertTrue(third.isDone());
  }

  @Test
  void passingOnDoesNotMoveTheEnd() {
    Lease holder = holds(1);
    Queued ahead = queues(1);
    for (int passed = 1; passed < TIME.toMillis(); passed++) {
      CompletableFuture<Lease> next = lines(1);
      time.advance(Duration.ofMillis(1));
      assertPassedOn(holder, next);
      holder = next.join();
    }
    CompletableFuture<Lease> last = lines(1);
    time.pause(Duration.ofMillis(1));

    assertGivenBack(holder, last).released();

    cancel(ahead);
    store.next("sem-acquire").held();
    assertTrue(last.isDone());
  }

  @Test
  @Tag("L10")
  void aRequestAsksWhenNothingMayBePassedOnAnyMore() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = lines(1);

    time.advance(TIME);

    store.next("sem-acquire").queued();
    store.next("sem-acquire").queued();
    CompletableFuture<Lease> fourth = semaphore.async(1).acquire();
    store.next("sem-acquire").held();
    assertTrue(fourth.isDone());
    assertTrue(first.isValid());
    cancel(ahead);
    cancel(new Queued("", second));
    cancel(new Queued("", third));
  }

  @Test
  @Tag("L10")
  void theFirstOfTheLineAsksWhenNoRequestIsAhead() {
    Lease first = holds(1);
    Lease other = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = lines(1);

    engine.mailbox().onMessage("grant|" + ahead.id() + "|mortise:sem:permits:{gate}");
    store.next("sem-acquire").held();

    assertTrue(ahead.request().isDone());
    AskedCommand asks = store.next("sem-acquire");
    store.assertNothingAsked();
    asks.queued();
    assertPassedOn(first, third);
    assertTrue(other.isValid());
    cancel(new Queued("", second));
  }

  @Test
  @Tag("L10")
  void theFirstOfTheLineAsksWhenTheOneAheadGivesUp() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = lines(1);

    cancel(ahead);

    store.next("sem-acquire").held();
    assertTrue(second.isDone());
    store.next("sem-acquire").queued();
    assertTrue(first.isValid());
    cancel(new Queued("", third));
  }

  /** Else a service could pass permits on once for each of its places before another's. */
  @Test
  void aPlaceFromBeforeTheEndOfTheTimeBeginsNoOther() {
    Lease first = holds(1);
    Queued second = queues(1);
    time.advance(TIME);
    Queued third = queues(1);
    assertGivenBack(first, second.request()).releasedTo(second.id());
    assertGivenBack(second.request().join(), third.request()).releasedTo(third.id());
    Queued fourth = queues(1);
    CompletableFuture<Lease> fifth = lines(1);

    assertPassedOn(third.request().join(), fifth);

    time.advance(TIME);
    assertGivenBack(fifth.join(), fourth.request()).releasedTo(fourth.id());
    Queued sixth = queues(1);
    Queued seventh = queues(1); // nothing may be passed on, so it asks too
    assertGivenBack(fourth.request().join(), seventh.request()).releasedTo(sixth.id());
    assertTrue(sixth.request().join().isValid());
    cancel(seventh);
  }

  @Test
  @Tag("L9")
  void whatIsLostIsNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    List<LeaseState> changes = changesOf(first);
    forcedOpen(first);
    store.next("sem-leave").absent();

    CompletionException failure =
        assertThrows(CompletionException.class, () -> first.releaseAsync().join());

    assertInstanceOf(LeaseLostException.class, failure.getCause());
    assertEquals(List.of(LeaseState.LOST), changes);
    assertFalse(second.isDone());
    assertEquals(List.of("acquired", "lost"), told.rows().get(0));
    cancel(ahead);
    store.next("sem-acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  @Tag("L9")
  @Tag("L20")
  void aLossAfterItIsOfTheNextHolder() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    List<LeaseState> changesOfFirst = changesOf(first);
    assertPassedOn(first, second);
    List<LeaseState> changes = changesOf(second.join());

    forcedOpen(second.join());

    store.next("sem-leave").absent();
    assertEquals(List.of(LeaseState.LOST), changes);
    assertEquals(List.of(), changesOfFirst);
    assertEquals(LeaseState.RELEASED, first.state());
    assertEquals(LeaseState.LOST, second.join().state());
    assertEquals(List.of("acquired", "released"), told.rows().get(0));
    assertEquals(List.of("waiting", "acquired", "lost"), told.rows().get(2));
    cancel(ahead);
  }

  /** The thread that closes the lease stops between the checks and the step. */
  @Test
  @Tag("L9")
  void whatIsLostAtTheLastMomentIsNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    LeaseRequest next =
        engine.requests().all().stream()
            .filter(each -> !each.waitsAtStore())
            .findFirst()
            .orElseThrow();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    Thread closing =
        new Thread(() -> {
          try {
            first.close();
            closed.complete(null);
          } catch (LeaseLostException e) {
            closed.completeExceptionally(e);
          }
        });
    closing.setDaemon(true);
    synchronized (next) {
      closing.start();
      StubTime.until("it stops", () -> closing.getState() == Thread.State.BLOCKED);
      forcedOpen(first);
      store.next("sem-leave").absent();
    }

    CompletionException failure = assertThrows(CompletionException.class, closed::join);
    assertInstanceOf(LeaseLostException.class, failure.getCause());
    assertFalse(second.isDone());
    assertEquals(List.of("acquired", "lost"), told.rows().get(0));
    cancel(ahead);
    store.next("sem-acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  @Tag("L9")
  void whatHasEndedUnnoticedIsNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    time.pause(GateFixture.LEASE);

    CompletableFuture<Void> closed = first.releaseAsync();

    assertTrue(closed.isCompletedExceptionally());
    assertFalse(second.isDone());
    store.next("sem-leave").absent();
    cancel(ahead);
    store.next("sem-acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  void aSuspectLeaseIsNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    engine.acquisitions().all().stream()
        .filter(each -> each.lease().isHeld())
        .forEach(each -> assertTrue(each.lease().suspect("no answer")));

    assertGivenBack(first, second).releasedTo(ahead.id());

    cancelAsking(ahead, second);
  }

  /** A lease counts from when its command was sent. Here the answer took that long. */
  @Test
  void aLeaseWithLessThanHalfItsTimeLeftIsNotPassedOn() {
    CompletableFuture<Lease> first = semaphore.async(1).acquire();
    AskedCommand acquire = store.next("sem-acquire");
    time.pause(GateFixture.LEASE.dividedBy(2));
    acquire.held();
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);

    assertGivenBack(first.join(), second).releasedTo(ahead.id());

    cancelAsking(ahead, second);
  }

  @Test
  @Tag("S4")
  void whatIsLeftOfALeaseThatGaveBackAPartIsNotPassedOn() {
    Lease first = holds(2);
    Queued ahead = queues(2);
    CompletableFuture<Lease> second = lines(2);
    CompletableFuture<Lease> one = semaphore.async(1).acquire(); // no permit of one is out
    store.next("sem-acquire").queued();
    CompletableFuture<Void> part = first.releaseAsync(1);
    store.next("sem-return").partReturned();
    part.join();

    assertGivenBack(first, second).releasedTo(ahead.id());

    assertTrue(ahead.request().isDone());
    assertFalse(second.isDone());
    cancel(new Queued("", one));
    store.next("sem-acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  @Tag("S4")
  void toGiveBackAllPermitsPassesThemOn() {
    Lease first = holds(2);
    Queued ahead = queues(2);
    CompletableFuture<Lease> second = lines(2);

    first.releaseAsync(2).join();

    store.assertNothingAsked();
    assertEquals(2, second.join().permits());
    cancel(ahead);
  }

  @Test
  @Tag("L27")
  void permitsThatAreFreeLaterAreNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);

    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(() -> first.closeAfter(Duration.ofMillis(50)));
    store.next("linger").released();
    closed.join();

    assertFalse(second.isDone());
    cancel(ahead);
    store.next("sem-acquire").queued();
    cancel(new Queued("", second));
  }

  @Test
  void aLeaseThatWasMadeLongerIsNotPassedOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Boolean> extended = first.extendAsync(GateFixture.LONG);
    store.next("renew").renewed();
    assertTrue(extended.join());

    assertGivenBack(first, second).releasedTo(ahead.id());

    cancelAsking(ahead, second);
  }

  @Test
  void fixedLeasesTakeNoPart() {
    DistributedSemaphore fixed = semaphore.withLease(GateFixture.LEASE);
    CompletableFuture<Lease> first = fixed.async(1).acquire();
    store.next("sem-acquire").held();
    Lease other = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = fixed.async(1).acquire();
    store.next("sem-acquire").queued();

    assertGivenBack(first.join(), second).released();

    assertPassedOn(other, second);
    cancel(ahead);
    cancel(new Queued("", third));
  }

  @Test
  @Tag("L17")
  void aClosedServicePassesNothingOn() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);

    CompletableFuture<Boolean> closing = CompletableFuture.supplyAsync(engine::close);
    store.next("sem-leave").absent();
    store.next("sem-leave").released();

    assertTrue(closing.join());
    for (CompletableFuture<Lease> each : List.of(ahead.request(), second)) {
      CompletionException failure = assertThrows(CompletionException.class, each::join);
      assertInstanceOf(LockServiceClosedException.class, failure.getCause());
    }
    assertEquals(LeaseState.LOST, first.state());
  }

  @Test
  @Tag("L15")
  void aRequestThatGivesUpInTheLineLeavesNothing() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> cancelled = lines(1);
    CompletableFuture<Optional<Lease>> timed = semaphore.async(1).tryAcquire(Duration.ofMillis(5));
    CompletableFuture<Lease> last = lines(1);

    cancelled.cancel(false);
    time.advance(Duration.ofMillis(5));

    assertEquals(Optional.empty(), timed.join());
    assertPassedOn(first, last);
    assertEquals(2, engine.acquisitions().all().size(), "one is held, and one is ahead");
    cancel(ahead);
  }

  @Test
  void anAttemptThatDoesNotWaitAsksTheStore() {
    Lease first = holds(1);
    Queued ahead = queues(1);

    CompletableFuture<Optional<Lease>> attempt = semaphore.async(1).tryAcquire();
    store.next("sem-acquire").busy();

    assertEquals(Optional.empty(), attempt.join());
    assertTrue(first.isValid());
    cancel(ahead);
  }

  @Test
  void withoutHandOffsEachRequestAsksTheStore() {
    engine = engine(GateFixture.settings(0, Duration.ZERO));
    semaphore = semaphore();
    Lease first = holds(1);
    Queued second = queues(1);
    Queued third = queues(1);

    assertGivenBack(first, third.request()).releasedTo(second.id());

    assertTrue(second.request().isDone());
    cancel(third);
  }

  @Test
  void aLimitBoundsTheNumberToo() {
    engine = engine(GateFixture.settings(1, Duration.ZERO));
    semaphore = semaphore();
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    CompletableFuture<Lease> third = lines(1);
    assertPassedOn(first, second);

    assertGivenBack(second.join(), third).releasedTo(ahead.id());

    cancelAsking(ahead, third);
  }

  @Test
  @Tag("L24")
  void holdsAndWaitsShowThem() {
    Lease first = holds(1);
    Queued ahead = queues(1);
    CompletableFuture<Lease> second = lines(1);
    assertEquals(2, engine.snapshot().waits().size());
    time.advance(Duration.ofMillis(4));

    assertPassedOn(first, second);

    time.advance(Duration.ofMillis(3));
    assertEquals(1, engine.snapshot().waits().size());
    assertEquals(Duration.ofMillis(3), engine.snapshot().holds().get(0).heldFor());
    cancel(ahead);
  }

  @Test
  @Tag("L15")
  void anUnusedSemaphoreHasNoGate() {
    Lease first = holds(1);
    assertTrue(engine.requests().areLeaseGates());
    CompletableFuture<Void> closed = first.releaseAsync();
    store.next("sem-leave").released();
    closed.join();

    time.advance(Duration.ofSeconds(1));

    assertFalse(engine.requests().areLeaseGates());
  }
}
