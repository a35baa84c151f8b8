package io.mortise.micronaut;

/**
 * The thread was interrupted before or while it waited for the lock. The method did not run, and
 * the thread's interrupt flag is set.
 */
public final class LockInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the method and the lock
   * @param cause the interrupt
   */
  public LockInterruptedException(String message, InterruptedException cause) {
    super(message, cause);
  }
}
