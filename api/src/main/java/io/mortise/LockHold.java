package io.mortise;

/**
 * One hold of a lock, a lease or permits, as a {@link LockListener} is told of it. It begins with
 * {@link LockListener#acquired}. It ends with exactly one {@link LockListener#released} or {@link
 * LockListener#lost}. For holds at this moment ask {@link LockService#holds}.
 */
public interface LockHold {
  /** How a hold came about. */
  enum Via {
    /** The lock was free, and the store gave it at once. */
    STORE,
    /**
     * This service had it: a thread or a lease handed it off, readers share it, or it was retained.
     * No command was needed.
     */
    HANDED,
    /** The attempt stood in the queue of the store, and was granted the lock. */
    GRANTED
  }

  /**
   * The attempt that acquired it.
   *
   * @return the attempt, with its context
   */
  LockAttempt attempt();

  /**
   * The acquisition id. Threads or leases that hand a lock off to each other, and readers that
   * share a hold, have the same id.
   *
   * @return the id, as it is in the store
   */
  String holder();

  /**
   * How the hold came about.
   *
   * @return from the store, from another thread or lease, or from the queue
   */
  Via via();

  /**
   * How long it lasted.
   *
   * @return nanoseconds from the acquisition to the end; 0 while it lasts
   */
  long heldNanos();
}
