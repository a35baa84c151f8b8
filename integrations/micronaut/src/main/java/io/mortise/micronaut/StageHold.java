package io.mortise.micronaut;

import io.mortise.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lease that is held until the stage of a method completes, and released before the caller's
 * stage completes.
 *
 * <p>No stage completes on the thread of the lock service's callbacks: what depends on it may block
 * there.
 */
record StageHold(LockedMethod method, Lease lease) {
  /**
   * Runs the method, and gives the lease back if it has no stage.
   *
   * @return the caller's stage; to cancel it cancels the method's
   */
  @SuppressWarnings("FutureReturnValueIgnored") // every outcome is in the result
  CompletableFuture<Object> run(Supplier<@Nullable Object> work) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    CompletionStage<?> stage;
    try {
      stage = stage(work.get());
      stage.whenComplete((value, failure) -> end(value, failure, result));
    } catch (Throwable e) {
      closeAfter(e);
      throw e;
    }
    result.whenComplete((value, failure) -> {
      if (result.isCancelled()) {
        stage.toCompletableFuture().cancel(true);
      }
    });
    return result;
  }

  private CompletionStage<?> stage(@Nullable Object returned) {
    if (returned == null) {
      throw new IllegalStateException(method + " returned null instead of a stage");
    }
    return (CompletionStage<?>) returned;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // every outcome is in the result
  private void end(
      @Nullable Object value, @Nullable Throwable failure, CompletableFuture<Object> result) {
    lease
        .releaseAsync()
        .whenCompleteAsync((none, lost) -> {
          if (failure != null) {
            suppress(failure, lost);
            result.completeExceptionally(failure);
          } else if (lost != null) {
            result.completeExceptionally(cause(lost));
          } else {
            result.complete(value);
          }
        });
  }

  /** The method has thrown: the lock is free before its caller learns of it. */
  private void closeAfter(Throwable failure) {
    try {
      lease.close();
    } catch (RuntimeException lost) {
      suppress(failure, lost);
    }
  }

  private static void suppress(Throwable failure, @Nullable Throwable lost) {
    if (lost != null && !lost.equals(failure)) {
      cause(failure).addSuppressed(cause(lost));
    }
  }

  /** The failure of a future itself, which a step after it wraps. */
  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
