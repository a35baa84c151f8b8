package io.mortise;

/** The service is closed. What was held through it ends with its lease. */
public final class LockServiceClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   */
  public LockServiceClosedException(String message) {
    super(message);
  }
}
