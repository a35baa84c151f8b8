package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * No backend could be chosen: none of the installed providers fits, or several do. The message
 * lists all of them.
 */
public final class NoBackendException extends LockException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   * @param cause what was seen, if it was an exception
   */
  public NoBackendException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
