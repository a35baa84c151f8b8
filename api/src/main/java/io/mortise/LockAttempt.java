package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock, a lease or permits, or to wait for a latch, as a {@link
 * LockListener} is told of it. It begins with the call of the application. It ends with exactly one
 * {@link LockListener#acquired} or {@link LockListener#notAcquired}. Only the service makes
 * attempts. Listeners read them in their callbacks.
 */
public interface LockAttempt {
  /** How an attempt ended that acquired nothing. */
  enum Outcome {
    /** The lock was not free, and the attempt was not to wait. */
    BUSY,
    /** The time to wait was over. */
    TIMED_OUT,
    /** The waiting thread was interrupted. */
    INTERRUPTED,
    /** The future was cancelled, or the lock of several gave up this member. */
    CANCELLED,
    /** It failed with an exception, also because its service was closed. */
    FAILED,
    /** A latch was open, or opened. So the wait is over, and there is nothing to hold. */
    OPEN
  }

  /**
   * The lock's name. Names may be many, so a metric should not have them as a tag.
   *
   * @return the name, as the application gave it
   */
  String name();

  /**
   * The kind of the lock.
   *
   * @return the kind of handle that made the attempt
   */
  Kind kind();

  /**
   * Whether the attempt is for a {@link Lease} or for a latch. It is then bound to no thread, and
   * its events come on the service's executor.
   *
   * @return false if a thread acquires the lock for itself
   */
  boolean isLease();

  /**
   * When the attempt began.
   *
   * @return by {@link System#nanoTime}, unless the backend has a time of its own
   */
  long startNanos();

  /**
   * How long the attempt took.
   *
   * @return nanoseconds from the call to the end of the attempt; 0 before its end
   */
  long waitedNanos();

  /**
   * What a listener keeps with this attempt, such as a span.
   *
   * @param owner the listener itself
   * @return what it has set last; null if nothing
   */
  @Nullable Object context(LockListener owner);

  /**
   * Keeps a value with this attempt, and with its hold. Each listener has a slot of its own. Call
   * it only in a callback about this attempt or its hold.
   *
   * @param owner the listener itself
   * @param value the value, or null for none
   */
  void setContext(LockListener owner, @Nullable Object value);
}
