package io.mortise.conformance.lock.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockService;
import io.mortise.conformance.LockKit;
import io.mortise.conformance.Rule;
import io.mortise.conformance.lock.fixture.AnyLock;
import io.mortise.conformance.lock.fixture.Contender;
import io.mortise.conformance.lock.fixture.FaultyBackend;
import io.mortise.conformance.lock.fixture.FaultyBackend.Link;
import io.mortise.conformance.lock.fixture.LockRules;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work under a lock or with a lease: a result counts only if the lock was held all the time. */
public abstract class WorkRules extends LockRules {
  private static final Duration BRIEF = Duration.ofSeconds(1);
  private static final Duration LONGER = Duration.ofMillis(1500);

  private final LockService service = service(ofOneServer(), builder -> builder);

  protected WorkRules(LockKit kit) {
    super(kit);
  }

  private LeasedLock lock(AnyLock kind) {
    return kind.of(service, name);
  }

  private static void assertFree(LeasedLock lock) {
    assertEquals(LeaseState.RELEASED, lock.leaseState());
    assertTrue(lock.tryLock());
    lock.unlock();
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L2", "L25"})
  void workRunsOnceWhileItsThreadHoldsTheLock(AnyLock kind) throws Exception {
    LeasedLock lock = lock(kind);
    AtomicReference<Thread> ran = new AtomicReference<>();
    lock.run(() -> {
      assertTrue(lock.isHeldByCurrentThread());
      lock.run(() -> assertEquals(2, lock.getHoldCount()));
      ran.set(Thread.currentThread());
    });
    assertSame(Thread.currentThread(), ran.get());
    assertEquals("one", lock.call(() -> lock.getHoldCount() == 1 ? "one" : "not one"));
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("L25")
  void anExceptionOfTheWorkComesOutAndTheLockIsFree(AnyLock kind) {
    LeasedLock lock = lock(kind);
    IOException failure = new IOException("the work failed");
    IOException thrown =
        assertThrows(
            IOException.class,
            () ->
                lock.call(() -> {
                  throw failure;
                }));
    assertSame(failure, thrown);
    assertEquals(0, failure.getSuppressed().length);
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L25"})
  void workThatLostItsLockHasNoResult(AnyLock kind) {
    LeasedLock lock = lock(kind);
    LeasedLock brief = lock.withLease(BRIEF);
    assertThrows(
        LeaseLostException.class,
        () ->
            brief.call(() -> {
              passTime(LONGER);
              return "a result that does not count";
            }));
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L25"})
  void aLossIsSuppressedInTheExceptionOfTheWork(AnyLock kind) {
    LeasedLock lock = lock(kind);
    IllegalStateException failure = new IllegalStateException("the work failed");
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                lock.withLease(BRIEF)
                    .run(() -> {
                      passTime(LONGER);
                      throw failure;
                    }));
    assertSame(failure, thrown);
    assertEquals(1, failure.getSuppressed().length);
    assertInstanceOf(LeaseLostException.class, failure.getSuppressed()[0]);
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L2", "L9", "L25"})
  void nestedWorkHasNoResultEither(AnyLock kind) {
    LeasedLock lock = lock(kind);
    LeasedLock brief = lock.withLease(BRIEF);
    AtomicReference<Throwable> inner = new AtomicReference<>();
    assertThrows(
        LeaseLostException.class,
        () ->
            brief.run(() ->
                inner.set(
                    assertThrows(
                        LeaseLostException.class, () -> brief.run(() -> passTime(LONGER))))));
    assertInstanceOf(LeaseLostException.class, inner.get());
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L3", "L25"})
  void workThatUnlocksByItselfIsAnError(AnyLock kind) {
    LeasedLock lock = lock(kind);
    IllegalMonitorStateException thrown =
        assertThrows(IllegalMonitorStateException.class, () -> lock.run(lock::unlock));
    assertFalse(thrown instanceof LeaseLostException);
    assertFree(lock);
  }

  @Test
  @Rule({"L14", "L25"})
  void withoutTheLockTheWorkIsNotRun() {
    FaultyBackend link = new FaultyBackend(this::backend);
    LeasedLock lock = service(link, builder -> builder).getLock(name);
    link.set(Link.DOWN);
    AtomicBoolean ran = new AtomicBoolean();
    assertThrows(BackendUnavailableException.class, () -> lock.run(() -> ran.set(true)));
    assertThrows(BackendUnavailableException.class, () -> lock.call(() -> ran.getAndSet(true)));
    CompletableFuture<Boolean> result =
        lock.async().withLease(lease -> CompletableFuture.completedFuture(ran.getAndSet(true)));
    assertInstanceOf(BackendUnavailableException.class, Await.failure(result));
    assertFalse(ran.get());
    link.set(Link.UP);
  }

  @Test
  @Rule({"L4", "L25"})
  void anInterruptWhileItWaitsReachesTheWork() {
    DistributedLock lock = lock();
    lock.lock();
    AtomicBoolean flagged = new AtomicBoolean();
    DistributedLock theirs = lock();
    Contender waiter =
        contender(() -> {
          theirs.run(() -> flagged.set(Thread.currentThread().isInterrupted()));
          return false;
        });
    waiter.interrupt();
    lock.unlock();
    assertFalse(waiter.result());
    assertTrue(flagged.get());
    assertTrue(waiter.wasInterruptedAfter());
  }

  @Test
  @Rule({"L9", "L25"})
  void aForcedUnlockDuringTheWorkIsALoss() {
    DistributedLock lock = lock();
    assertThrows(LeaseLostException.class, () -> lock.run(lock::forceUnlock));
    assertFree(lock);
  }

  // Without blocking

  @ParameterizedTest
  @EnumSource
  @Rule("L25")
  void aLeaseIsHeldUntilTheStageOfTheWorkIsComplete(AnyLock kind) throws InterruptedException {
    LeasedLock lock = lock(kind);
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Lease> given = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock.async()
            .withLease(lease -> {
              given.complete(lease);
              return stage;
            });
    Lease lease = Await.value(given);
    assertTrue(lease.isValid());
    assertEquals(1, lease.permits());
    assertFalse(result.isDone());
    stage.complete("done");
    assertEquals("done", Await.value(result));
    assertEquals(LeaseState.RELEASED, lease.state());
    assertFree(lock);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"L9", "L25"})
  void aStageThatOutlastsItsLeaseHasNoResult(AnyLock kind) {
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Lease> given = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock(kind)
            .withLease(BRIEF)
            .async()
            .withLease(lease -> {
              given.complete(lease);
              return stage;
            });
    Await.value(given);
    passTime(LONGER);
    stage.complete("a result that does not count");
    assertInstanceOf(LeaseLostException.class, Await.failure(result));
  }

  @Test
  @Rule({"L9", "L25"})
  void workThatClosesALostLeaseHidesNoLoss() {
    CompletableFuture<String> result =
        lockWithLease(SECOND)
            .withLease(BRIEF)
            .async()
            .withLease(lease -> {
              passTime(LONGER);
              assertThrows(LeaseLostException.class, lease::close);
              return CompletableFuture.completedFuture("a result that does not count");
            });
    assertInstanceOf(LeaseLostException.class, Await.failure(result));
  }

  @Test
  @Rule("L25")
  void workThatReleasesItsLeaseHasNoResult() {
    CompletableFuture<String> result =
        lock()
            .async()
            .withLease(lease -> {
              lease.close();
              return CompletableFuture.completedFuture("a result that does not count");
            });
    Throwable failure = Await.failure(result);
    assertEquals(IllegalMonitorStateException.class, failure.getClass(), failure::toString);
  }

  @Test
  @Rule({"L9", "L25"})
  void aFailureOfTheStageIsNotHiddenByTheLoss() {
    IllegalStateException failure = new IllegalStateException("the work failed");
    CompletableFuture<String> stage = new CompletableFuture<>();
    CompletableFuture<Lease> given = new CompletableFuture<>();
    CompletableFuture<String> result =
        lock()
            .withLease(BRIEF)
            .async()
            .withLease(lease -> {
              given.complete(lease);
              return stage.thenApply(value -> value);
            });
    Await.value(given);
    passTime(LONGER);
    stage.completeExceptionally(failure);
    assertSame(failure, Await.failure(result));
    assertInstanceOf(LeaseLostException.class, failure.getSuppressed()[0]);
  }

  @Test
  @Rule("L25")
  @SuppressWarnings("NullAway") // the work returns no stage on purpose
  void workThatThrowsOrReturnsNoStageFailsTheResultAndTheLockIsFree() {
    DistributedLock lock = lock();
    IllegalStateException failure = new IllegalStateException("the work failed");
    CompletableFuture<String> thrown =
        lock.async()
            .withLease(lease -> {
              throw failure;
            });
    assertSame(failure, Await.failure(thrown));
    assertEquals(0, failure.getSuppressed().length);
    CompletableFuture<String> none = lock.async().withLease(lease -> null);
    assertInstanceOf(NullPointerException.class, Await.failure(none));
    assertFree(lock);
  }

  @Test
  @Rule("L25")
  void aCheckedExceptionThatIsNotDeclaredFailsTheResultAndTheLockIsFree() {
    DistributedLock lock = lock();
    IOException failure = new IOException("the work failed");
    CompletableFuture<String> result =
        lock.async()
            .withLease(lease -> {
              throw undeclared(failure);
            });
    assertSame(failure, Await.failure(result));
    assertFree(lock);
  }

  /** As code in other languages throws it. */
  @SuppressWarnings("unchecked") // the cast has no effect at run time
  private static <E extends Exception> RuntimeException undeclared(Exception failure) throws E {
    throw (E) failure;
  }

  /** Some stages throw before they know the callback, and some after they have called it. */
  @Test
  @Rule("L25")
  void aStageThatThrowsFailsTheResultAndTheLockIsFree() {
    DistributedLock lock = lock();
    IllegalStateException failure = new IllegalStateException("the stage takes no callbacks");
    CompletableFuture<String> before =
        lock.async().withLease(lease -> new ThrowingStage(failure, false));
    assertSame(failure, Await.failure(before));
    assertEquals(0, failure.getSuppressed().length);
    assertFree(lock);

    CompletableFuture<String> after =
        lock.async().withLease(lease -> new ThrowingStage(failure, true));
    assertEquals("done", Await.value(after));
    assertFree(lock);
  }

  private static final class ThrowingStage extends CompletableFuture<String> {
    private final IllegalStateException failure;
    private final boolean calls;

    ThrowingStage(IllegalStateException failure, boolean calls) {
      this.failure = failure;
      this.calls = calls;
    }

    @Override
    public CompletableFuture<String> whenComplete(
        BiConsumer<? super String, ? super Throwable> callback) {
      if (calls) {
        complete("done");
        CompletableFuture<String> unused = super.whenComplete(callback);
      }
      throw failure;
    }
  }

  @Test
  @Rule({"L11", "L15", "L25"})
  void aResultThatIsCancelledWhileItWaitsWithdrawsAndStartsNoWork() {
    DistributedLock lock = lock();
    lock.lock();
    AtomicBoolean ran = new AtomicBoolean();
    CompletableFuture<Boolean> result =
        lock().async().withLease(lease -> CompletableFuture.completedFuture(ran.getAndSet(true)));
    awaitQueued(1);
    result.cancel(false);
    awaitQueued(0);
    lock.unlock();
    assertFree(lock);
    assertFalse(ran.get());
  }

  @Test
  @Rule({"L20", "L25"})
  void workIsStartedAndItsResultGivenOnTheExecutorAlone() {
    List<String> where = new CopyOnWriteArrayList<>();
    DistributedLock lock =
        service(builder -> builder.executor(task -> new Thread(task, "the executor").start()))
            .getLock(name);
    CompletableFuture<Void> stage = new CompletableFuture<>();
    CompletableFuture<Void> result =
        lock.async()
            .withLease(lease -> {
              where.add(Thread.currentThread().getName());
              return stage;
            });
    CompletableFuture<Void> noted =
        result.thenRun(() -> where.add(Thread.currentThread().getName()));
    Await.until("the work has started", () -> where.size() == 1);
    stage.complete(null);
    Await.value(noted);
    assertEquals(List.of("the executor", "the executor"), where);
  }
}
