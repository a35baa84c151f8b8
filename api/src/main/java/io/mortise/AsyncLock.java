package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * A lock without blocking: what is acquired is a {@link Lease}, bound to no thread. No thread waits
 * while an acquisition is pending. Thread-safe.
 *
 * <p>Each call is an acquisition of its own: two of one thread exclude each other, and exclude
 * {@code lock()} of that thread as well. Futures complete on the service's executor, exceptionally
 * with what the blocking methods throw ({@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException}, {@link LockServiceClosedException}).
 *
 * <p>Cancelling a returned future, or completing it in any other way, {@code orTimeout} among them,
 * withdraws the request: it leaves the queue, and a lease that arrives all the same is given back.
 * That does not reach it from a stage derived from it.
 */
public interface AsyncLock {
  /**
   * Acquires, however long it takes.
   *
   * @return the lease; its cancellation, a {@link CancellationException}, withdraws
   */
  CompletableFuture<Lease> acquire();

  /**
   * Acquires if the lock is free now: one command.
   *
   * @return the lease, or nothing if somebody has the lock
   */
  CompletableFuture<Optional<Lease>> tryAcquire();

  /**
   * Acquires if that is possible in time.
   *
   * @param wait the longest time to wait; none if not positive
   * @return the lease, or nothing if the time was over before
   */
  CompletableFuture<Optional<Lease>> tryAcquire(Duration wait);
}
