package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * The outcome is not known: the command was sent and no reply came. Mortise withdraws an
 * acquisition in the background, so that nothing stays locked longer than the lease.
 */
public final class OutcomeUnknownException extends LockException {
  private static final long serialVersionUID = 1L;

  /**
   * For Mortise itself.
   *
   * @param message names the object, the values and the next step
   * @param cause what was seen, if it was an exception
   */
  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
