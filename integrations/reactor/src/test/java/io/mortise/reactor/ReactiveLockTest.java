package io.mortise.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.LockServiceClosedException;
import io.mortise.MultiLock;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import io.mortise.spi.ForwardingBackend;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.PublisherProbe;
import reactor.test.publisher.TestPublisher;

/** A lease is held while the work is subscribed to, and no longer, however that ends. */
@MortiseTest
class ReactiveLockTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NAME = "orders:42";

  private LockService locks;
  private LockWorld world;
  private ReactiveLock lock;

  @BeforeEach
  void open(LockService locks, LockWorld world) {
    this.locks = locks;
    this.world = world;
    lock = ReactiveLock.of(locks.getLock(NAME));
  }

  private boolean isHeld() {
    return !world.holds().isEmpty();
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < LIMIT.toNanos(), "in vain: " + what);
      LockSupport.parkNanos(200_000);
    }
  }

  private void awaitFree() {
    await("nothing is held", () -> !isHeld());
  }

  private DistributedLock elsewhere() {
    return world.anotherProcess().getLock(NAME);
  }

  // The end of the work

  @Test
  void theWorkRunsUnderTheLockOnAThreadThatMayBlock() {
    StepVerifier.create(
            lock.withLease(lease ->
                Mono.fromSupplier(() -> {
                  assertTrue(lease.isValid());
                  return isHeld() + " " + Thread.currentThread().getName().split("-", -1)[0];
                })))
        .expectNext("true mortise")
        .expectComplete()
        .verify(LIMIT);
    assertFalse(isHeld());
  }

  @Test
  void theLockIsFreeWhenTheSubscriberGetsTheResult() {
    Mono<Boolean> held = lock.withLease(lease -> Mono.just("done")).map(done -> isHeld());
    StepVerifier.create(held).expectNext(false).expectComplete().verify(LIMIT);
  }

  @Test
  void everyElementComesUnderTheLockAndTheEndIsAfterItsRelease() {
    Flux<Boolean> held = lock.withLeaseMany(lease -> Flux.range(1, 3)).map(each -> isHeld());
    StepVerifier.create(held.concatWith(Mono.fromSupplier(this::isHeld)))
        .expectNext(true, true, true, false)
        .expectComplete()
        .verify(LIMIT);
  }

  /** What work may do, beside giving a result. */
  enum Ending {
    EMPTY,
    ERROR,
    THROWN,
    NO_PUBLISHER;

    @SuppressWarnings("NullAway") // work of an application without checks
    <T> Mono<T> run() {
      return switch (this) {
        case EMPTY -> Mono.empty();
        case ERROR -> Mono.error(new IllegalArgumentException("its own"));
        case THROWN -> throw new IllegalArgumentException("its own");
        case NO_PUBLISHER -> null;
      };
    }

    @Nullable Class<? extends Throwable> error() {
      return switch (this) {
        case EMPTY -> null;
        case ERROR, THROWN -> IllegalArgumentException.class;
        case NO_PUBLISHER -> NullPointerException.class;
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLockIsFreeHoweverTheWorkEnds(Ending ending) {
    for (Flux<String> work :
        List.of(
            lock.<String>withLease(lease -> ending.run()).flux(),
            lock.<String>withLeaseMany(lease -> ending.run()))) {
      Class<? extends Throwable> error = ending.error();
      StepVerifier.LastStep end = StepVerifier.create(work);
      (error == null ? end.expectComplete() : end.expectError(error)).verify(LIMIT);
      assertFalse(isHeld());
    }
  }

  @Test
  void workThatIsCancelledGivesTheLockBack() {
    PublisherProbe<String> work = PublisherProbe.of(Mono.never());
    StepVerifier.create(lock.withLease(lease -> work.mono()))
        .then(() -> await("the work is subscribed to", work::wasSubscribed))
        .then(() -> assertTrue(isHeld()))
        .thenCancel()
        .verify(LIMIT);
    await("the work is cancelled", work::wasCancelled);
    awaitFree();
  }

  @Test
  void aSubscriberThatHasEnoughGivesTheLockBack() {
    PublisherProbe<Integer> work = PublisherProbe.of(Flux.range(1, 1_000));
    StepVerifier.create(lock.withLeaseMany(lease -> work.flux()).take(2))
        .expectNext(1, 2)
        .expectComplete()
        .verify(LIMIT);
    await("the work is cancelled", work::wasCancelled); // perhaps after the last signal
    awaitFree();
  }

  @Test
  void aSubscriberThatThrowsGivesTheLockBack() {
    Flux<Integer> broken =
        lock.withLeaseMany(lease -> Flux.range(1, 3))
            .doOnNext(each -> {
              throw new IllegalArgumentException("of the subscriber");
            });
    StepVerifier.create(broken).expectError(IllegalArgumentException.class).verify(LIMIT);
    awaitFree();
  }

  // Subscriptions

  /** Counts the commands of a process. */
  private static final class Counting extends ForwardingBackend {
    final AtomicInteger commands = new AtomicInteger();
    private final LockBackend target;

    Counting(LockBackend target) {
      this.target = target;
    }

    @Override
    protected LockBackend target() {
      return target;
    }

    @Override
    public List<Object> execute(ScriptCall call) {
      commands.incrementAndGet();
      return super.execute(call);
    }

    @Override
    public CompletableFuture<List<Object>> executeAsync(ScriptCall call) {
      commands.incrementAndGet();
      return super.executeAsync(call);
    }
  }

  @Test
  void whatNobodySubscribesToSendsNothingAndEachSubscriptionAcquires() {
    Counting counting = new Counting(world.backend());
    try (LockService counted = LockService.builder().handOffLimit(0).backend(counting).open()) {
      AtomicInteger runs = new AtomicInteger();
      ReactiveLock here = ReactiveLock.of(counted.getLock(NAME));
      int before = counting.commands.get();
      Mono<Integer> work = here.withLease(lease -> Mono.fromSupplier(runs::incrementAndGet));
      Flux<Integer> many = here.withMaxWait(Duration.ZERO).withLeaseMany(lease -> work);
      assertEquals(before, counting.commands.get(), many::toString);
      assertEquals(0, runs.get());

      StepVerifier.create(work).expectNext(1).expectComplete().verify(LIMIT);
      int once = counting.commands.get() - before;
      assertEquals(2, once, "one to acquire and one to release");
      StepVerifier.create(work).expectNext(2).expectComplete().verify(LIMIT);
      assertEquals(2 * once, counting.commands.get() - before);
    }
  }

  @Test
  void twoSubscriptionsExcludeEachOther() {
    TestPublisher<String> first = TestPublisher.create();
    AtomicInteger subscriptions = new AtomicInteger();
    Mono<String> work =
        lock.withLease(
            lease -> subscriptions.incrementAndGet() == 1 ? first.mono() : Mono.just("second"));
    CompletableFuture<String> one = work.toFuture();
    await("the first one works", first::wasSubscribed);
    CompletableFuture<String> two = work.toFuture();
    world.awaitWaiting(NAME, 1);
    assertEquals(1, subscriptions.get());

    first.emit("first");

    assertEquals("first", one.orTimeout(30, TimeUnit.SECONDS).join());
    assertEquals("second", two.orTimeout(30, TimeUnit.SECONDS).join());
  }

  // Waiting

  @Test
  void toCancelWhileWaitingWithdraws() throws InterruptedException {
    PublisherProbe<String> work = PublisherProbe.empty();
    DistributedLock other = elsewhere();
    Lease held = other.acquire();
    StepVerifier.create(lock.withLease(lease -> work.mono()))
        .then(() -> world.awaitWaiting(NAME, 1))
        .thenCancel()
        .verify(LIMIT);
    await("it has left the queue", () -> other.getQueueLength() == 0);
    held.close();
    assertFalse(isHeld());
    work.assertWasNotSubscribed();
  }

  @Test
  void nothingStaysHeldHoweverASubscriberGoes() {
    Mono<Integer> byHand =
        Mono.usingWhen(
            lock.acquire(), lease -> Mono.just(1), lease -> Mono.fromFuture(lease::releaseAsync));
    Mono<Integer> locked = lock.withLease(lease -> Mono.just(1));
    for (int i = 0; i < 400; i++) {
      Disposable each = (i % 2 == 0 ? locked : byHand).subscribe();
      LockSupport.parkNanos(i * 2_000L);
      each.dispose();
    }
    awaitFree();
    StepVerifier.create(lock.withLease(lease -> Mono.just("free")))
        .expectNext("free")
        .expectComplete()
        .verify(LIMIT);
  }

  @Test
  void aLeaseThatNobodyHasAskedForYetIsGivenBackOnCancel() {
    StepVerifier.create(lock.acquire(), 0)
        .then(() -> await("it has arrived", this::isHeld))
        .thenCancel()
        .verify(LIMIT);
    awaitFree();
  }

  @Test
  void anAcquiredLeaseIsTheSubscribers() {
    Lease lease = lock.acquire().block(LIMIT);
    assertTrue(lease != null && lease.isValid() && isHeld());
    lease.close();
  }

  @Test
  void aBusyLockIsAnErrorWhenTheWaitIsOver() throws InterruptedException {
    PublisherProbe<String> work = PublisherProbe.empty();
    Lease held = elsewhere().acquire();
    StepVerifier.create(lock.withMaxWait(Duration.ZERO).withLeaseMany(lease -> work.mono()))
        .expectErrorSatisfies(error -> assertBusy(error, "PT0S"))
        .verify(LIMIT);
    StepVerifier.create(lock.withMaxWait(Duration.ofSeconds(5)).withLease(lease -> work.mono()))
        .then(() -> world.awaitWaiting(NAME, 1))
        .then(() -> world.advance(Duration.ofSeconds(6)))
        .expectErrorSatisfies(error -> assertBusy(error, "PT5S"))
        .verify(LIMIT);
    held.close();
    StepVerifier.create(lock.withMaxWait(Duration.ZERO).withLease(lease -> Mono.just("free")))
        .expectNext("free")
        .expectComplete()
        .verify(LIMIT);
    work.assertWasNotSubscribed();
  }

  private static void assertBusy(Throwable error, String wait) {
    assertInstanceOf(LockBusyException.class, error);
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("'orders:42'") && message.contains(wait), message);
  }

  @Test
  void aStoreThatIsDownIsAnError() {
    PublisherProbe<String> work = PublisherProbe.empty();
    world.storeDown();
    StepVerifier.create(lock.withLease(lease -> work.mono()))
        .expectError(BackendUnavailableException.class)
        .verify(LIMIT);
    world.storeUp();
    work.assertWasNotSubscribed();
  }

  @Test
  void aServiceThatIsClosedIsAnError() {
    LockService closed = world.anotherProcess();
    ReactiveLock there = ReactiveLock.of(closed.getLock(NAME));
    closed.close();
    for (ReactiveLock each : List.of(there, there.withMaxWait(Duration.ZERO))) {
      StepVerifier.create(each.withLease(lease -> Mono.just("never")))
          .expectError(LockServiceClosedException.class)
          .verify(LIMIT);
    }
  }

  // Losses

  private void verifyLoss(
      Function<PublisherProbe<String>, Flux<String>> locked, PublisherProbe<String> work) {
    StepVerifier.create(locked.apply(work))
        .then(() -> await("the work is subscribed to", work::wasSubscribed))
        .then(() -> assertTrue(elsewhere().forceUnlock()))
        .expectError(LeaseLostException.class)
        .verify(LIMIT);
    await("the work is cancelled", work::wasCancelled);
  }

  @Test
  void aLossCancelsTheWork() {
    verifyLoss(
        work -> lock.withLease(lease -> work.mono()).flux(), PublisherProbe.of(Mono.never()));
    verifyLoss(work -> lock.withLeaseMany(lease -> work.flux()), PublisherProbe.of(Flux.never()));
  }

  @Test
  void aResultUnderALostLeaseIsNoSuccess() {
    Mono<String> work =
        lock.withLease(lease ->
            Mono.fromSupplier(() -> {
              assertTrue(elsewhere().forceUnlock());
              return "done";
            }));
    StepVerifier.create(work).expectError(LeaseLostException.class).verify(LIMIT);
  }

  @Test
  void noElementFollowsALoss() {
    Flux<Integer> work =
        lock.withLeaseMany(lease -> Flux.range(1, 3))
            .doOnNext(each -> {
              assertTrue(elsewhere().forceUnlock());
              await("the loss is known", () -> locks.holds().isEmpty());
            });
    StepVerifier.create(work).expectNext(1).expectError(LeaseLostException.class).verify(LIMIT);
  }

  @Test
  void anErrorOfTheWorkReachesTheSubscriberWithTheLossInIt() {
    CountDownLatch lost = new CountDownLatch(1);
    Mono<String> work =
        Mono.usingWhen(
            lock.acquire(),
            lease -> Mono.error(new IllegalArgumentException("its own")),
            lease -> LeaseEnd.afterCompletion(lease, LockThreads.WORK),
            (lease, error) -> {
              var unused = lease.onLost(change -> lost.countDown());
              assertTrue(elsewhere().forceUnlock());
              return Mono.fromCallable(() -> lost.await(30, TimeUnit.SECONDS))
                  .then(LeaseEnd.afterError(lease, error));
            },
            LeaseEnd::afterCancellation);
    StepVerifier.create(work)
        .expectErrorSatisfies(error -> {
          assertEquals("its own", error.getMessage());
          assertInstanceOf(LeaseLostException.class, error.getSuppressed()[0]);
        })
        .verify(LIMIT);
  }

  @Test
  void workThatReleasesItsLeaseItselfIsAnError() {
    for (Flux<?> work :
        List.of(
            lock.withLease(lease -> Mono.fromRunnable(lease::close)).flux(),
            lock.withLeaseMany(lease -> Mono.fromRunnable(lease::close)))) {
      StepVerifier.create(work).expectError(IllegalMonitorStateException.class).verify(LIMIT);
    }
  }

  // Permits, several locks, bad input

  @Test
  void permitsAreHeldByTheWork() {
    DistributedSemaphore printers = locks.getSemaphore("printers", 3);
    ReactiveLock two = ReactiveLock.of(printers, 2);
    StepVerifier.create(
            two.withLease(lease ->
                Mono.fromSupplier(() -> lease.permits() + " of 3, " + printers.availablePermits())))
        .expectNext("2 of 3, 1")
        .expectComplete()
        .verify(LIMIT);
    assertEquals(3, printers.availablePermits());
    StepVerifier.create(
            two.withLease(
                outer -> two.withMaxWait(Duration.ZERO).withLease(inner -> Mono.just("both"))))
        .expectErrorSatisfies(error ->
            assertTrue(String.valueOf(error.getMessage()).contains("2 permits of semaphore")))
        .verify(LIMIT);
    assertEquals(3, printers.availablePermits());
  }

  @Test
  void wrongNumbersOfPermitsAreRefused() {
    DistributedSemaphore printers = locks.getSemaphore("printers", 3);
    assertThrows(IllegalArgumentException.class, () -> ReactiveLock.of(printers, 0));
    StepVerifier.create(ReactiveLock.of(printers, 4).withLease(lease -> Mono.just("too many")))
        .expectError(IllegalArgumentException.class)
        .verify(LIMIT);
    StepVerifier.create(ReactiveLock.of(locks.getSemaphore("unset"), 1).acquire())
        .expectError(IllegalStateException.class)
        .verify(LIMIT);
  }

  @Test
  void severalLocksAreOne() {
    MultiLock both = MultiLock.of(locks.getLock("alice"), locks.getLock("bob"));
    StepVerifier.create(
            ReactiveLock.of(both).withLease(lease -> Mono.fromSupplier(() -> world.holds().size())))
        .expectNext(2)
        .expectComplete()
        .verify(LIMIT);
    assertFalse(isHeld());
  }

  @Test
  @SuppressWarnings("NullAway") // an application without checks
  void nullsAreRefusedAtOnce() {
    assertThrows(NullPointerException.class, () -> ReactiveLock.of(null));
    assertThrows(NullPointerException.class, () -> ReactiveLock.of(null, 1));
    assertThrows(NullPointerException.class, () -> lock.withLease(null));
    assertThrows(NullPointerException.class, () -> lock.withLeaseMany(null));
    assertThrows(NullPointerException.class, () -> lock.withMaxWait(null));
  }

  // Messages

  @Test
  void aMessageShowsTheNameOnOneLine() throws Exception {
    String forged = "order\n42";
    String shown = "order\\u000a42";
    Lease held = locks.getLock(forged).acquire();
    StepVerifier.create(ReactiveLock.of(locks.getLock(forged)).withMaxWait(Duration.ZERO).acquire())
        .verifyErrorMatches(
            e -> String.valueOf(e.getMessage()).startsWith("lock '" + shown + "': busy"));
    locks.getLock(forged).forceUnlock();
    await("it is lost", () -> !held.isValid());
    LeaseLostException lost =
        assertThrows(LeaseLostException.class, () -> LeaseEnd.ensureHeld(held));
    assertTrue(String.valueOf(lost.getMessage()).startsWith("the lease of '" + shown + "' was"));
    assertEquals(
        "ReactiveLock[1 permits of semaphore '" + shown + "', waits]",
        ReactiveLock.of(locks.getSemaphore(forged), 1).toString());
  }
}
