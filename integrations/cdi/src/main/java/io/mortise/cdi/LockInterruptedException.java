package io.mortise.cdi;

/**
 * The thread was interrupted before or while it waited for the lock. The method did not run, and
 * the thread's interrupt flag is set. A method that declares {@link InterruptedException} throws
 * that instead.
 */
public final class LockInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockInterruptedException(String message, InterruptedException cause) {
    super(message, cause);
  }
}
