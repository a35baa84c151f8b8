package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

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
 * <p>To withdraw a request, cancel the returned future, or complete it in any other way, such as
 * {@code orTimeout}. The request then leaves the queue, and a lease that still arrives is given
 * back. Cancelling a stage that is derived from the future does not withdraw.
 */
public interface AsyncLock {
  /**
   * Acquires, and waits without limit.
   *
   * @return the lease; to cancel this future (a {@link CancellationException} for its stages)
   *     withdraws the request
   */
  CompletableFuture<Lease> acquire();

  /**
   * Acquires if the lock is free now. It sends one command.
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
}
