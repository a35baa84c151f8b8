package io.mortise.micronaut;

/** Another holder had the lock until the wait was over. The method did not run. */
public final class LockBusyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the method, the lock and the time that was waited
   */
  public LockBusyException(String message) {
    super(message);
  }
}
