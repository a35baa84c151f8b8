package io.mortise.backend.support;

import org.jspecify.annotations.Nullable;

/** A supplier of credentials gave none. The message says why, and what to do. */
public final class CredentialFault extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  CredentialFault(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
