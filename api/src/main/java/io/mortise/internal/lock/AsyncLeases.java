package io.mortise.internal.lock;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.internal.engine.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LeaseSource;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the leases of one lock to the application: as futures, or to threads that wait.
 * Thread-safe.
 */
public final class AsyncLeases implements AsyncLock {
  private final LeaseSource claimer;
  private final Executor executor;
  private final TimeSource time;

  /**
   * @param executor the executor on which the futures complete
   * @param time the time that waiting threads follow
   */
  public AsyncLeases(LeaseSource claimer, Executor executor, TimeSource time) {
    this.claimer = claimer;
    this.executor = executor;
    this.time = time;
  }

  @Override
  public CompletableFuture<Lease> acquire() {
    return claim(LeaseSource.FOREVER, claimed -> lease(claimed).orElseThrow());
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire() {
    return claim(LeaseSource.NOT, AsyncLeases::lease);
  }

  @Override
  public CompletableFuture<Optional<Lease>> tryAcquire(Duration wait) {
    return claim(nanos(wait), AsyncLeases::lease);
  }

  /** Waits for a lease without end. */
  public Lease await() throws InterruptedException {
    return lease(awaitClaimed(LeaseSource.FOREVER)).orElseThrow();
  }

  /** Waits for a lease until the deadline. */
  public Optional<Lease> await(Duration wait) throws InterruptedException {
    return lease(awaitClaimed(nanos(wait)));
  }

  /**
   * Takes a lease if the lock is free now. An interrupt does not end the call; the flag stays set.
   */
  Optional<Lease> attempt() {
    CompletableFuture<LeaseOutcome> claimed = new CompletableFuture<>();
    claimer.claimHere(LeaseSource.NOT, claimed);
    return lease(Futures.join(claimed, time));
  }

  /** Waits for the outcome of a lease request. */
  LeaseOutcome awaitClaimed(long wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    CompletableFuture<LeaseOutcome> claimed = new CompletableFuture<>();
    claimer.claimHere(wait, claimed);
    return Futures.await(claimed, time);
  }

  private static Optional<Lease> lease(LeaseOutcome claimed) {
    return Optional.ofNullable(claimed.lease());
  }

  private static long nanos(Duration wait) {
    long nanos = TimeUnit.NANOSECONDS.convert(wait);
    return Math.max(LeaseSource.NOT, Math.min(nanos, Long.MAX_VALUE / 2));
  }

  /**
   * Sends a lease request. The future completes on the executor, with a value made of the outcome.
   * If another caller completes the future first, the request is withdrawn.
   */
  <T> CompletableFuture<T> claim(long wait, Function<LeaseOutcome, T> value) {
    CompletableFuture<LeaseOutcome> claimed = new CompletableFuture<>();
    CompletableFuture<T> future = new CompletableFuture<>();
    CompletableFuture<LeaseOutcome> unused =
        claimed.whenComplete(
            (done, failure) -> executor.execute(() -> hand(done, failure, value, future)));
    CompletableFuture<T> ignored = future.whenComplete((v, failure) -> claimed.cancel(false));
    claimer.claim(wait, claimed);
    return future;
  }

  private static <T> void hand(
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
