package io.mortise.backend.support;

import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

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

  /**
   * The failure of a call that a backend was told to send, as its caller gets it.
   *
   * @param failure as a callback gets it, or thrown by the backend
   * @return the {@link BackendException} inside; for any other failure one with outcome {@code
   *     UNKNOWN}, because the script may have been sent, or will be: an executor keeps a task for
   *     which no thread can be made
   */
  public static BackendException known(@Nullable Throwable failure) {
    Throwable cause = failure == null ? null : of(failure);
    return cause instanceof BackendException known
        ? known
        : new BackendException(Outcome.UNKNOWN, String.valueOf(cause), cause);
  }
}
