package io.mortise;

/**
 * The wait of this thread was ended, because it was part of a deadlock and began last. Thrown only
 * by services with {@link LockService.Builder#breakDeadlocks}. The thread has not got the lock for
 * which it waited, and still holds all that it held. The next step is to release that, so that the
 * others can go on, and then to begin again.
 */
public final class DeadlockException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /** What was found. Lost if the exception is serialized. */
  private final transient Deadlock deadlock;

  /**
   * For Mortise itself.
   *
   * @param deadlock what was found
   */
  public DeadlockException(Deadlock deadlock) {
    super(
        "this wait was ended, so that the others can go on; release what this thread holds, and begin again (docs/deadlocks.md); "
            + deadlock);
    this.deadlock = deadlock;
  }

  /**
   * The threads and locks of the deadlock. This thread is the first party.
   *
   * @return what was found
   */
  public Deadlock deadlock() {
    return deadlock;
  }
}
