package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a lock or permits without blocking. The result is a {@link Lease}, which is bound to no
 * thread. No thread waits while an acquisition is pending. Thread-safe.
 *
 * <p>Each call is an acquisition of its own. Two acquisitions of one lock exclude each other, also
 * if one thread requested both. They exclude {@code lock()} of that thread too. Futures complete on
 * the service's executor. They fail with what the blocking methods throw ({@link
 * BackendUnavailableException}, {@link OutcomeUnknownException}, {@link ForeignKeyException},
 * {@link LockServiceClosedException}).
 *
 * <p>A lease of a plain lock or of permits that is closed may go to another request of the service,
 * without a command, for 10 ms after it was acquired from the store. {@link
 * LockService.Builder#handOffLimit handOffLimit(0)} turns that off.
 *
 * <p>To withdraw a request, cancel the returned future, or complete it in any other way, such as
 * {@code orTimeout}. The request then leaves the queue, and a lease that still arrives is given
 * back.
 *
 * <p>A caller that only stops waiting does not withdraw. The request goes on after {@code get} with
 * a time limit, and when a stage that is derived from the future ({@code thenApply}, {@code copy})
 * was cancelled or timed out. The lease that it gets is renewed until garbage collection finds it
 * dropped. So give the time limit to the request:
 *
 * <pre>{@code
 * Optional<Lease> lease = lock.async().tryAcquire(Duration.ofMillis(200)).get();
 * // and not lock.async().acquire().get(200, TimeUnit.MILLISECONDS)
 * }</pre>
 */
public interface AsyncLock {
  /**
   * Acquires, and waits without limit. For a limited wait use {@link #tryAcquire(Duration)}: a
   * caller that gives up the future without cancelling it leaves a lease that nobody closes.
   *
   * @return the lease; to cancel this future (a {@link CancellationException} for its stages)
   *     withdraws the request
   */
  CompletableFuture<Lease> acquire();

  /**
   * Acquires if the lock is free now. It sends one command. If a service may only keep the lock
   * ({@link LockService.Builder#retain}), it waits for that service, up to 100 ms.
   *
   * @return the lease, or nothing if the lock is held
   */
  CompletableFuture<Optional<Lease>> tryAcquire();

  /**
   * Acquires, and waits until the deadline at most.
   *
   * @param wait the longest time to wait; none if not positive
   * @return the lease, or nothing if the deadline passed first
   */
  CompletableFuture<Optional<Lease>> tryAcquire(Duration wait);

  /**
   * Acquires, runs work with the lease, and releases the lease when the stage that the work returns
   * is complete. The returned future completes after that, with the result of the stage.
   *
   * <p>The work is started on the service's executor, never on a client's I/O thread. So it must
   * not block for long on the default executor, which has one thread. It starts what it needs and
   * returns a stage.
   *
   * <p>The future has a value only if the lease was held until the stage was complete. If the work
   * throws, or its stage fails, the future fails with that, and a lost lease is {@linkplain
   * Throwable#addSuppressed suppressed} in it. If the lock cannot be acquired, the work is not
   * started, and the future fails as that of {@link #acquire()}.
   *
   * <p>To complete the returned future in another way, such as by cancelling it, withdraws the
   * request. Work that was started goes on, and the lease is held until its stage is complete.
   *
   * @param work gets the lease, and need not release it; returns a stage that completes when
   *     nothing needs the lease any more
   * @param <T> the type of the result
   * @return the result of the work; fails with {@link LeaseLostException} if the work was
   *     successful, but the lease was lost meanwhile, and with {@link IllegalMonitorStateException}
   *     if the work has released the lease itself
   */
  <T extends @Nullable Object> CompletableFuture<T> withLease(
      Function<? super Lease, ? extends CompletionStage<T>> work);
}
