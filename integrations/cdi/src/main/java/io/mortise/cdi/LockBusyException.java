package io.mortise.cdi;

/** Another holder had the lock until the wait was over. The method did not run. */
public final class LockBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockBusyException(String message) {
    super(message);
  }
}
