package io.mortise.backend.support;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What is inside the exceptions that futures wrap around failures. */
public final class Causes {
  private Causes() {}

  /**
   * The failure that a future has passed on.
   *
   * @param failure as a callback or a waiting thread gets it
   * @return the exception inside, or the same one if it wraps none
   */
  public static Throwable of(Throwable failure) {
    Throwable cause = failure.getCause();
    boolean wraps = failure instanceof CompletionException || failure instanceof ExecutionException;
    return wraps && cause != null ? cause : failure;
  }
}
