package io.mortise;

/**
 * The lock was held, but its lease is over. The message says why: the lease ended, the hold was
 * revoked by a forced unlock, or the key was deleted. Another holder may have had the lock since.
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
