package io.mortise;

/**
 * The service is closed or closing. A thread's hold through a closed service ends with its lease.
 */
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
