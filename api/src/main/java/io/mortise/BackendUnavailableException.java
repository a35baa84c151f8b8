package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * The store could not do what was asked, and certainly has not done it: it is unreachable, or it
 * refused. The next step is in the message.
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
