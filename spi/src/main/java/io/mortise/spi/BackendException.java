package io.mortise.spi;

import org.jspecify.annotations.Nullable;

/** A call to a backend failed. The outcome says what may have happened in the store. */
public final class BackendException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What a failed call may have done. */
  public enum Outcome {
    /** Certainly nothing ran. */
    NOT_EXECUTED,
    /** The script may have run, may still be running, or may not have run. */
    UNKNOWN,
    /** The server answered with an error. That error is the exception's message, its code first. */
    REPLIED
  }

  /** What the failed call may have done. */
  private final Outcome outcome;

  /**
   * Creates the exception of a failed call.
   *
   * @param outcome what may have happened in the store
   * @param message the endpoint, what was tried and the next step; for {@link Outcome#REPLIED} the
   *     server's error as it came, its code first
   * @param cause the client's exception, if there was one
   */
  public BackendException(Outcome outcome, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
  }

  /**
   * What may have happened in the store.
   *
   * @return the outcome
   */
  public Outcome outcome() {
    return outcome;
  }

  /**
   * The error code of the server.
   *
   * @return the first word of a {@link Outcome#REPLIED} error, such as {@code NOPERM}; empty for
   *     the other outcomes
   */
  public String code() {
    String message = getMessage();
    if (outcome != Outcome.REPLIED || message == null) {
      return "";
    }
    int space = message.indexOf(' ');
    return space < 0 ? message : message.substring(0, space);
  }
}
