package io.mortise;

/**
 * The lock was held, but its lease is over. The message says why: it ended, was forced open, or its
 * key was deleted. Somebody else may have held the lock since.
 */
public final class LeaseLostException extends IllegalMonitorStateException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   */
  public LeaseLostException(String message) {
    super(message);
  }
}
