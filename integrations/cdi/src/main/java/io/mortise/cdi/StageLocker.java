package io.mortise.cdi;

import io.mortise.Lease;
import io.mortise.cdi.Locker.Busy;
import io.mortise.cdi.Locker.Work;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods that return a stage. The calling thread acquires a lease and runs the method. The
 * lease is held until the method's stage completes, and released before the caller's stage
 * completes.
 *
 * <p>No stage completes on the thread of the lock service's callbacks: what depends on it may block
 * there.
 */
final class StageLocker {
  private StageLocker() {}

  /**
   * Runs the method.
   *
   * @return its stage, or {@link Busy}
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the caller has it
  static @Nullable Object run(LockedMethod method, LockTarget target, Work work) throws Exception {
    WorkHold.requireOutside(target);
    Optional<Lease> lease = method.terms().lease(target.lock());
    if (lease.isEmpty()) {
      return Busy.BUSY;
    }
    WorkHold hold = new WorkHold(target, lease.get(), method.terms().isShared());
    try {
      return follow(start(method, hold, work), hold.lease());
    } catch (Throwable e) {
      releaseAfter(e, hold.lease());
      throw e;
    }
  }

  @SuppressWarnings("try") // the scope is there to be closed
  private static CompletionStage<?> start(LockedMethod method, WorkHold hold, Work work)
      throws Exception {
    try (WorkHold entered = hold.enter()) {
      CompletionStage<?> stage = (CompletionStage<?>) work.run();
      if (stage == null) {
        throw new NullPointerException(method + " returned null instead of a stage");
      }
      return stage;
    }
  }

  /** The lock is free before the caller learns of the failure. */
  private static void releaseAfter(Throwable failure, Lease lease) {
    try {
      lease.close();
    } catch (RuntimeException lost) {
      failure.addSuppressed(lost);
    }
  }

  /** The caller's stage. To cancel it cancels the method's. */
  private static CompletableFuture<Object> follow(CompletionStage<?> stage, Lease lease) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    var unused =
        stage.whenComplete((value, failure) -> {
          var unusedToo =
              lease
                  .releaseAsync()
                  .whenCompleteAsync((none, lost) -> complete(result, value, failure, lost));
        });
    var unusedAlso =
        result.whenComplete((value, failure) -> {
          if (result.isCancelled()) {
            stage.toCompletableFuture().cancel(true);
          }
        });
    return result;
  }

  private static void complete(
      CompletableFuture<Object> result,
      @Nullable Object value,
      @Nullable Throwable failure,
      @Nullable Throwable lost) {
    if (failure != null) {
      if (lost != null) {
        cause(failure).addSuppressed(cause(lost));
      }
      result.completeExceptionally(failure);
    } else if (lost != null) {
      result.completeExceptionally(cause(lost));
    } else {
      result.complete(value);
    }
  }

  /** The failure of a future itself, which a step after it wraps. */
  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
