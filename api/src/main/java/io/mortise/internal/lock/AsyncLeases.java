package io.mortise.internal.lock;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.internal.engine.Wanted;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the leases of one lock to the application: as futures, or to threads that wait.
 * Thread-safe.
 */
public final class AsyncLeases implements AsyncLock {
  private final LeaseSource source;
  private final Executor executor;
  private final TimeSource time;

  /**
   * @param executor the executor on which the futures complete
   * @param time the time that waiting threads follow
   */
  public AsyncLeases(LeaseSource source, Executor executor, TimeSource time) {
    this.source = source;
    this.executor = executor;
    this.time = time;
  }

  /** The leases of one lock, semaphore or latch of a service. */
  static AsyncLeases of(Engine engine, Wanted wanted) {
    return new AsyncLeases(
        (wait, here, outcome) -> engine.requests().start(wanted, wait, here, outcome),
        engine.events()::execute,
        engine.store().time());
  }

  @Override
  public CompletableFuture<Lease> acquire() {
    return request(LeaseSource.FOREVER, outcome -> lease(outcome).orElseThrow());
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire() {
    return request(LeaseSource.NOT, AsyncLeases::lease);
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
    return request(nanos(wait), AsyncLeases::lease);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> withLease(
      Function<? super Lease, ? extends CompletionStage<T>> work) {
    LeasedWork<T> leased = new LeasedWork<>(work, executor);
    return leased.after(acquire());
  }

  /** Waits for a lease without end. */
  public Lease await() throws InterruptedException {
    return lease(awaitOutcome(LeaseSource.FOREVER)).orElseThrow();
  }

  /** Waits for a lease without end. An interrupt does not end the wait; the flag stays set. */
  public Lease join() {
    return lease(joinOutcome(LeaseSource.FOREVER)).orElseThrow();
  }

  /** Waits for a lease until the deadline. */
  public Optional<Lease> await(Duration wait) throws InterruptedException {
    return lease(awaitOutcome(nanos(wait)));
  }

  /**
   * Takes a lease if the lock is free now. An interrupt does not end the call; the flag stays set.
   */
  public Optional<Lease> attempt() {
    return lease(joinOutcome(LeaseSource.NOT));
  }

  private LeaseOutcome joinOutcome(long wait) {
    CompletableFuture<LeaseOutcome> outcome = new CompletableFuture<>();
    Runnable look = requestHere(wait, outcome);
    return Futures.join(outcome, time, look);
  }

  /** Waits for the outcome of a lease request. */
  LeaseOutcome awaitOutcome(long wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    CompletableFuture<LeaseOutcome> outcome = new CompletableFuture<>();
    Runnable look = requestHere(wait, outcome);
    return Futures.await(outcome, time, look);
  }

  /** Sends a lease request for the calling thread, which is about to wait for the outcome. */
  private Runnable requestHere(long wait, CompletableFuture<LeaseOutcome> outcome) {
    time.checkMayPark();
    return source.request(wait, true, outcome);
  }

  private static Optional<Lease> lease(LeaseOutcome outcome) {
    return Optional.ofNullable(outcome.lease());
  }

  /** A wait of the application, as a source of leases takes it. */
  static long nanos(Duration wait) {
    long nanos = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(wait, "wait"));
    return Math.max(LeaseSource.NOT, Math.min(nanos, Long.MAX_VALUE / 2));
  }

  /**
   * Sends a lease request. The future completes on the executor, with a value made of the outcome.
   * If another caller completes the future first, the request is withdrawn.
   */
  <T> CompletableFuture<T> request(long wait, Function<LeaseOutcome, T> value) {
    CompletableFuture<LeaseOutcome> outcome = new CompletableFuture<>();
    CompletableFuture<T> future = new CompletableFuture<>();
    CompletableFuture<LeaseOutcome> unused =
        outcome.whenComplete(
            (done, failure) -> executor.execute(() -> deliver(done, failure, value, future)));
    CompletableFuture<T> ignored =
        future.whenComplete((v, failure) -> withdraw(outcome, failure != null));
    Runnable unusedLook = source.request(wait, false, outcome);
    return future;
  }

  /** A lease that waits for the executor goes back at once: the executor may be busy for long. */
  private static void withdraw(CompletableFuture<LeaseOutcome> outcome, boolean failed) {
    boolean late = !outcome.cancel(false) && failed && !outcome.isCompletedExceptionally();
    Lease lease = late ? outcome.join().lease() : null;
    if (lease != null) {
      CompletableFuture<Void> unused = lease.releaseAsync();
    }
  }

  private static <T> void deliver(
      @Nullable LeaseOutcome done,
      @Nullable Throwable failure,
      Function<LeaseOutcome, T> value,
      CompletableFuture<T> future) {
    if (done == null) {
      future.completeExceptionally(failure);
      return;
    }
    Lease lease = done.lease();
    if (!future.complete(value.apply(done)) && lease != null) {
      CompletableFuture<Void> unused = lease.releaseAsync(); // no caller gets it
    }
  }
}
