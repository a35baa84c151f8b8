package io.mortise;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A hold of a lock as a value, or permits of a semaphore. It is not reentrant and bound to no
 * thread. Every thread that has the object may use it. Thread-safe.
 *
 * <pre>{@code
 * try (Lease lease = lock.acquire()) {
 *   // no other holder while lease.isValid()
 * }
 * }</pre>
 *
 * <p>A lease without an explicit time is renewed until it is released. If nothing refers to the
 * object any more and it was never released, renewal stops, the log has a warning, and the lease
 * ends by itself.
 */
public interface Lease extends AutoCloseable {
  /**
   * The name of the lock or semaphore.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * The state of the lease. It sends no command.
   *
   * @return {@link LeaseState#LOST} also if its time has just passed and the loss is not reported
   *     yet
   */
  LeaseState state();

  /**
   * Whether the lease is held and its time has not passed. It sends no command. If the machine may
   * have been suspended beyond the lease, it is not valid until the store has answered.
   *
   * @return whether no other holder can have the lock
   */
  default boolean isValid() {
    LeaseState now = state();
    return now == LeaseState.HELD || now == LeaseState.SUSPECT;
  }

  /**
   * The time for which the lease is certainly held, never longer than the store grants. It sends no
   * command.
   *
   * @return zero if the lease is over
   */
  Duration remaining();

  /**
   * The fencing token of this hold.
   *
   * @return empty, unless the lock is a {@link FencedLock} or a {@link FencedRedLock}
   */
  OptionalLong fencingToken();

  /**
   * The number of permits that this lease has: those it took from its semaphore, less those that
   * {@link #release(int)} gave back. Its end does not change the number. It sends no command.
   *
   * @return 1 for a lock
   */
  default int permits() {
    return 1;
  }

  /**
   * Makes the lease last at least that long from now. This never makes it shorter, and never
   * revives a lease that is over.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return false if the lease was already over
   * @throws IllegalArgumentException the lease is out of range
   * @throws IllegalStateException the lease was released
   * @throws LockException the lease was not extended, or the outcome is not known; it is held as
   *     long as {@link #isValid} says
   */
  boolean extend(Duration lease);

  /**
   * As {@link #extend}, without blocking.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return false if the lease was already over; the future fails with what {@code extend} throws
   */
  CompletableFuture<Boolean> extendAsync(Duration lease);

  /**
   * Calls the listener once when the lease is lost, on the service's executor. If the lease is
   * already lost, the call comes soon. A listener that refers to its lease keeps the object alive,
   * so the lease is then not noticed as abandoned.
   *
   * @param listener called at most once
   * @return this lease
   */
  Lease onLost(Consumer<? super LeaseChange> listener);

  /**
   * Gives the lock back. Later calls do nothing. If the store cannot be reached, this method
   * returns normally, and the release is sent in the background.
   *
   * @throws LeaseLostException the lease had ended before; other holders may have had the lock
   *     since
   */
  @Override
  void close();

  /**
   * Gives back some of the permits, and keeps the others. They are granted to waiters for which
   * there is room now. The lease goes on, is renewed and ends as before. To give back all that it
   * has is as {@link #close}. If the store cannot be reached, this method returns normally, and the
   * permits are given back in the background, at the latest with the end of the lease.
   *
   * @param permits at least 1, at most {@link #permits}
   * @throws LeaseLostException the lease had ended before; other holders may have had its permits
   *     since
   * @throws IllegalArgumentException it is not positive, or more than the lease has; nothing was
   *     given back
   * @throws IllegalStateException the lease was released; nothing was given back
   */
  default void release(int permits) {
    checkAll(permits);
    close();
  }

  /**
   * As {@link #release(int)}, without blocking.
   *
   * @param permits at least 1, at most {@link #permits}
   * @return a future that completes when the store has answered or cannot be reached; it fails with
   *     {@link LeaseLostException} if the lease had ended before
   * @throws IllegalArgumentException it is not positive, or more than the lease has; nothing was
   *     given back
   * @throws IllegalStateException the lease was released; nothing was given back
   */
  default CompletableFuture<Void> releaseAsync(int permits) {
    checkAll(permits);
    return releaseAsync();
  }

  private void checkAll(int permits) {
    if (state() == LeaseState.RELEASED) {
      throw new IllegalStateException(this + " was released; acquire again");
    }
    if (permits != permits()) {
      throw new IllegalArgumentException(
          "%s has %d permits, and %d were given back; give back as many as it has"
              .formatted(this, permits(), permits));
    }
  }

  /**
   * Gives the lease up now, and keeps the lock from all others for some more time, as {@link
   * LeasedLock#unlockAfter} does. Permits of a semaphore come back after that time.
   *
   * @param after how long the lock is not free yet, at most 10,000 days; zero or negative: as
   *     {@link #close}
   * @throws LeaseLostException the lease had ended before; other holders may have had the lock
   *     since
   * @throws IllegalArgumentException the time is too long
   * @throws UnsupportedOperationException this is a lease of a Redlock, which is still held
   */
  void closeAfter(Duration after);

  /**
   * As {@link #close}, without blocking.
   *
   * @return a future that completes when the store has answered or cannot be reached; it fails with
   *     {@link LeaseLostException} if the lease had ended before
   */
  CompletableFuture<Void> releaseAsync();
}
