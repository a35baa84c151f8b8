package io.mortise;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of a lock as a value: not reentrant, bound to no thread. Whoever has it may use it, so it
 * can be handed from thread to thread. Thread-safe.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *   // nobody else is here while lease.isValid()
 * }
 * }</pre>
 *
 * <p>A lease without an explicit time is renewed until it is released. If nothing refers to it any
 * more and it was never released, renewal stops with a warning, and it ends by itself.
 */
public interface Lease extends AutoCloseable {
  /**
   * The lock's name.
   *
   * @return as the lock was asked for by
   */
  String name();

  /**
   * How the lease stands. Sends nothing.
   *
   * @return {@link LeaseState#LOST} also if its time has just passed and nobody has noticed yet
   */
  LeaseState state();

  /**
   * Whether it is held and its time has not passed. Sends nothing.
   *
   * @return whether nobody else can have the lock
   */
  default boolean isValid() {
    LeaseState now = state();
    return now == LeaseState.HELD || now == LeaseState.SUSPECT;
  }

  /**
   * Until when it is certainly held: never longer than the store grants. Sends nothing.
   *
   * @return zero once it is over
   */
  Duration remaining();

  /**
   * Its fencing token.
   *
   * @return nothing unless it is of a {@link FencedLock}
   */
  OptionalLong fencingToken();

  /**
   * Makes the lease last at least that long from now. It never becomes shorter, and one that is
   * over is never revived.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return false if it was over already
   * @throws IllegalArgumentException the lease is out of range
   * @throws IllegalStateException it was released
   * @throws LockException whether it was extended is not known, or it was not
   */
  boolean extend(Duration lease);

  /**
   * As {@link #extend}, without blocking.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return false if it was over already; exceptionally with what {@code extend} throws
   */
  CompletableFuture<Boolean> extendAsync(Duration lease);

  /**
   * Calls the listener once if the lease is lost, on the service's executor; soon, if it has been
   * lost already. A listener that refers to the lease keeps it from being noticed as dropped.
   *
   * @param listener called at most once
   * @return this lease
   */
  Lease onLost(Consumer<? super LeaseChange> listener);

  /**
   * Gives the lock back. Later calls do nothing. If the store cannot be reached, it returns
   * normally, and the release is sent in the background.
   *
   * @throws LeaseLostException the lease had ended before; others may have held the lock since
   */
  @Override
  void close();

  /**
   * As {@link #close}, without blocking.
   *
   * @return complete when the store has answered, or cannot be reached; exceptionally with {@link
   *     LeaseLostException} if the lease had ended before
   */
  CompletableFuture<Void> releaseAsync();
}
