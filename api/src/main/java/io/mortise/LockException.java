package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * The store failed or refused. The subclasses separate "certainly not done" from "not known". "Not
 * acquired because another holder has the lock" is never an exception.
 */
public abstract sealed class LockException extends RuntimeException
    permits BackendUnavailableException,
        OutcomeUnknownException,
        NoBackendException,
        ForeignKeyException,
        NotReplicatedException,
        QuorumException,
        StaleTokenException {
  private static final long serialVersionUID = 1L;

  LockException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
