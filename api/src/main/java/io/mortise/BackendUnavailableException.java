package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * The store is out of reach or refused, and certainly did nothing. The message has the next step.
 */
public final class BackendUnavailableException extends LockException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   * @param cause what was seen, if it was an exception
   */
  public BackendUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
