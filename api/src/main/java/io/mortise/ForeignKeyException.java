package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * The key of a lock holds another program's data: it has another type, or no expiry. Mortise has
 * not touched it.
 */
public final class ForeignKeyException extends LockException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   * @param cause what was seen, if it was an exception
   */
  public ForeignKeyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
