package io.mortise.backend.support;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * Time limits of futures, on the timer that all services share. The methods of {@link
 * CompletableFuture} start a thread for the whole JVM. It takes the class loader of its first
 * caller along, and keeps it.
 */
public final class Timeouts {
  private Timeouts() {}

  /**
   * Fails a future with a {@link TimeoutException} if it is not complete in time.
   *
   * @param future the future
   * @param nanos how long it may take (ns)
   * @param <F> the type of the future
   * @return the future
   */
  public static <F extends CompletableFuture<?>> F fail(F future, long nanos) {
    return limit(future, nanos, () -> future.completeExceptionally(new TimeoutException()));
  }

  /**
   * Completes a future with null if it is not complete in time.
   *
   * @param future the future
   * @param nanos how long it may take (ns)
   * @param <F> the type of the future
   * @return the future
   */
  public static <F extends CompletableFuture<?>> F end(F future, long nanos) {
    return limit(future, nanos, () -> future.complete(null));
  }

  private static <F extends CompletableFuture<?>> F limit(F future, long nanos, Runnable end) {
    if (!future.isDone()) {
      TimeSource.Timer timer = TimeSource.system().schedule(end, Duration.ofNanos(nanos));
      CompletableFuture<?> unused = future.whenComplete((value, failure) -> timer.close());
    }
    return future;
  }
}
