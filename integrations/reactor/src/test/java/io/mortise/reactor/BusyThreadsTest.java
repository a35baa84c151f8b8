package io.mortise.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LockService;
import io.mortise.junit.LockWorld;
import io.mortise.junit.MortiseTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What comes in time although the threads of the application are busy, and on which threads. */
@MortiseTest
class BusyThreadsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NAME = "orders:42";

  private final Scheduler scheduler = Schedulers.newSingle("chosen", true);
  private final CountDownLatch end = new CountDownLatch(1);

  private LockService locks;
  private LockWorld world;
  private ReactiveLock lock;

  @BeforeEach
  void open(LockService locks, LockWorld world) {
    this.locks = locks;
    this.world = world;
    lock = ReactiveLock.of(locks.getLock(NAME));
  }

  @AfterEach
  void endTheTasks() {
    end.countDown();
    scheduler.dispose();
  }

  /** Returns when so many tasks block on the scheduler. */
  private void fill(Scheduler each, int threads) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(threads);
    for (int i = 0; i < threads; i++) {
      each.schedule(() -> {
        inside.countDown();
        try {
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt(); // the scheduler is disposed of
        }
      });
    }
    assertTrue(inside.await(30, TimeUnit.SECONDS));
  }

  private static void await(String what, BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < LIMIT.toNanos(), "in vain: " + what);
      LockSupport.parkNanos(200_000);
    }
  }

  private static void assertFails(Class<? extends Throwable> type, CompletableFuture<?> result) {
    Throwable failure =
        assertThrows(Exception.class, () -> result.get(20, TimeUnit.SECONDS)).getCause();
    assertInstanceOf(type, failure);
  }

  @Test
  void blockingTasksOfTheApplicationDelayNothing() throws InterruptedException {
    fill(Schedulers.boundedElastic(), Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);

    StepVerifier.create(lock.withLease(lease -> Mono.just("done")))
        .expectNext("done")
        .expectComplete()
        .verify(LIMIT);
    Lease held = world.anotherProcess().getLock(NAME).acquire();
    assertFails(
        LockBusyException.class,
        lock.withMaxWait(Duration.ZERO).withLease(lease -> Mono.just("never")).toFuture());
    held.close();
    assertLossIsTold(lock);
  }

  @Test
  void muchWorkMayAllBlockForAnother() {
    int many = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE; // the limit of such threads elsewhere
    CountDownLatch inside = new CountDownLatch(many);
    Flux<String> all =
        Flux.range(0, many)
            .flatMap(
                number ->
                    other(number)
                        .withLease(lease ->
                            Mono.fromCallable(() -> {
                              inside.countDown();
                              assertTrue(inside.await(15, TimeUnit.SECONDS), "not all are inside");
                              return other(many + number)
                                  .withLease(inner -> Mono.just("done"))
                                  .block();
                            })),
                many);
    StepVerifier.create(all).expectNextCount(many).expectComplete().verify(LIMIT);
  }

  /** What goes on after an error blocks too, until another error is there. */
  @Test
  void manyErrorsMayAllBlockForAnother() {
    int many = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE; // the limit of such threads elsewhere
    CountDownLatch inside = new CountDownLatch(many);
    Flux<String> all =
        Flux.range(0, many)
            .flatMap(
                number ->
                    failing(number)
                        .onErrorResume(failure -> {
                          inside.countDown();
                          return Mono.fromCallable(() -> {
                            assertTrue(inside.await(15, TimeUnit.SECONDS), "not all are inside");
                            return failing(many + number).onErrorReturn("done").block();
                          });
                        }),
                many);
    StepVerifier.create(all).expectNextCount(many).expectComplete().verify(LIMIT);
  }

  private ReactiveLock other(int number) {
    return ReactiveLock.of(locks.getLock(NAME + number));
  }

  private Mono<String> failing(int number) {
    return other(number).withLease(lease -> Mono.error(new IllegalStateException("its own")));
  }

  private void assertLossIsTold(ReactiveLock each) {
    CountDownLatch inside = new CountDownLatch(1);
    CompletableFuture<?> result =
        each.withLease(lease -> Mono.never().doOnSubscribe(to -> inside.countDown())).toFuture();
    await("the work is subscribed to", () -> inside.getCount() == 0);
    assertTrue(world.anotherProcess().getLock(NAME).forceUnlock());
    assertFails(LeaseLostException.class, result);
  }

  @Test
  void workThatBlocksDoesNotDelayTheEndOfAWait() throws InterruptedException {
    Lease held = world.anotherProcess().getLock(NAME).acquire();
    fill(LockThreads.WORK, Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE);
    assertFails(
        LockBusyException.class,
        lock.withMaxWait(Duration.ZERO).withLease(lease -> Mono.just("never")).toFuture());
    held.close();
  }

  @Test
  void workThatBlocksDoesNotDelayALoss() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    CompletableFuture<?> result =
        lock.withScheduler(scheduler)
            .withLease(lease -> Mono.never().doOnSubscribe(to -> inside.countDown()))
            .toFuture();
    assertTrue(inside.await(30, TimeUnit.SECONDS));
    fill(scheduler, 1);
    assertTrue(world.anotherProcess().getLock(NAME).forceUnlock());
    assertFails(LeaseLostException.class, result);
  }

  @Test
  void aCancelGivesBackALeaseThatWaitsForAThread() throws InterruptedException {
    fill(scheduler, 1);
    Disposable waiting =
        lock.withScheduler(scheduler).withLease(lease -> Mono.just("never")).subscribe();
    await("it is granted", () -> !world.holds().isEmpty());
    waiting.dispose();
    await("nothing is held", () -> world.holds().isEmpty());
  }

  @Test
  void workAndResultAreOnTheChosenScheduler() {
    AtomicReference<String> work = new AtomicReference<>();
    AtomicReference<String> result = new AtomicReference<>();
    StepVerifier.create(
            lock.withScheduler(scheduler)
                .withMaxWait(Duration.ZERO)
                .withLease(lease -> Mono.fromRunnable(() -> work.set(thread())))
                .doOnTerminate(() -> result.set(thread())))
        .expectComplete()
        .verify(LIMIT);
    assertEquals("chosen", work.get());
    assertEquals("chosen", result.get());
  }

  private static String thread() {
    String name = Thread.currentThread().getName();
    return name.substring(0, name.lastIndexOf('-'));
  }

  @Test
  void anErrorComesWhereItMayBlock() {
    AtomicReference<String> error = new AtomicReference<>();
    StepVerifier.create(
            lock.withLease(lease -> Mono.error(new IllegalArgumentException("its own")))
                .doOnError(failure -> error.set(thread() + Schedulers.isInNonBlockingThread())))
        .expectErrorMessage("its own")
        .verify(LIMIT);
    assertEquals("mortise-signalsfalse", error.get());
  }

  @Test
  void aSchedulerThatRefusesKeepsNothingHeld() {
    scheduler.dispose();
    StepVerifier.create(lock.withScheduler(scheduler).withLease(lease -> Mono.just("never")))
        .expectError(RejectedExecutionException.class)
        .verify(LIMIT);
    await("nothing is held", () -> world.holds().isEmpty());
  }

  @Test
  void aSchedulerWithoutAThreadKeepsNothingHeld() {
    Scheduler exhausted =
        new Scheduler() {
          @Override
          public Disposable schedule(Runnable task) {
            throw new OutOfMemoryError("unable to create native thread (planted)");
          }

          @Override
          public Worker createWorker() {
            throw new UnsupportedOperationException();
          }
        };
    StepVerifier.create(lock.withScheduler(exhausted).withLease(lease -> Mono.just("never")))
        .expectErrorMessage("unable to create native thread (planted)")
        .verify(LIMIT);
    await("nothing is held", () -> world.holds().isEmpty());
  }

  @Test
  void workThatBlocksWhileItIsSubscribedToKeepsItsLockAfterACancel() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    Mono<Boolean> blocking =
        Mono.fromCallable(() -> {
          inside.countDown();
          return end.await(30, TimeUnit.SECONDS);
        });
    Disposable first = lock.withLease(lease -> blocking).subscribe();
    assertTrue(inside.await(30, TimeUnit.SECONDS));
    first.dispose();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    assertFalse(world.anotherProcess().getLock(NAME).tryLock());
    end.countDown();
    await("nothing is held", () -> world.holds().isEmpty());
  }

  @Test
  void anErrorAfterALossIsDropped() throws InterruptedException {
    CompletableFuture<Throwable> dropped = new CompletableFuture<>();
    Hooks.onErrorDropped(dropped::complete);
    try {
      CountDownLatch inside = new CountDownLatch(1);
      CompletableFuture<?> result =
          lock.withLease(lease ->
                  Mono.fromCallable(() -> {
                    inside.countDown();
                    end.await();
                    throw new IllegalArgumentException("its own");
                  }))
              .toFuture();
      assertTrue(inside.await(30, TimeUnit.SECONDS));
      assertTrue(world.anotherProcess().getLock(NAME).forceUnlock());
      assertFails(LeaseLostException.class, result);
      end.countDown();
      assertEquals("its own", dropped.orTimeout(30, TimeUnit.SECONDS).join().getMessage());
    } finally {
      Hooks.resetOnErrorDropped();
    }
  }
}
