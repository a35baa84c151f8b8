package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * No backend could be chosen: none, or several, of the providers that were seen fit. The message
 * lists every one of them.
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
