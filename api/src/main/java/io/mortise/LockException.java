package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * A lock operation failed. The subclasses keep "certainly not done" and "not known" apart; "not
 * acquired because somebody else holds it" is never an exception.
 */
public abstract sealed class LockException extends RuntimeException
    permits BackendUnavailableException,
        OutcomeUnknownException,
        NoBackendException,
        ForeignKeyException,
        QuorumException,
        StaleTokenException {
  private static final long serialVersionUID = 1L;

  LockException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
