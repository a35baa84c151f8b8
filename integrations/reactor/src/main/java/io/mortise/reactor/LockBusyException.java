package io.mortise.reactor;

/**
 * Others held the lock or the permits until the wait was over. The work was not started.
 *
 * @see ReactiveLock#withMaxWait
 */
public final class LockBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LockBusyException(String message) {
    super(message);
  }
}
