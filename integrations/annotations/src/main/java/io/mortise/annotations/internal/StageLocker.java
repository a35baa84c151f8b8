package io.mortise.annotations.internal;

import io.mortise.Lease;
import io.mortise.annotations.internal.Locker.Work;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs methods that return a stage. The calling thread acquires a lease and runs the method. The
 * lease is held until the method's stage completes, and released before the caller's stage
 * completes.
 *
 * <p>No stage completes on the thread of the lock service's callbacks, nor in the common pool: what
 * depends on it may block, and would wait behind others that block. It may also wait for another
 * stage, so the threads for it have no limit. The release waits for none of them. The thread that
 * completes the method's stage starts it.
 */
public final class StageLocker {
  private static final Logger LOG = LoggerFactory.getLogger(StageLocker.class);

  /** Where the stages of callers complete, each when its lock is free. */
  private static final Executor THREADS = BlockingThreads.named("mortise-stages");

  private final CallerTransaction transaction;

  /** For methods that may be called in a transaction. */
  public StageLocker(CallerTransaction transaction) {
    this.transaction = transaction;
  }

  /**
   * Runs the method.
   *
   * @param who the method, for messages
   * @return its stage, or {@link NotRun}
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the caller has it
  public <X extends Throwable> Object run(Object who, Target target, LockTerms terms, Work<X> work)
      throws X {
    boolean keeps = transaction.decides(who, target);
    WorkHold hold;
    try {
      hold = acquire(target, terms);
    } catch (InterruptedException e) {
      return new NotRun(who, target, terms, e);
    }
    if (hold == null) {
      return NotRun.busy(who, target, terms);
    }
    Ending ending = new Ending(hold, keeps);
    if (keeps) {
      Locker.keep(transaction, hold, ending::transactionEnded, hold.lease()::close);
    }
    try {
      return follow(start(who, hold, work), ending);
    } catch (Throwable e) { // also of a stage that refuses to be followed
      ending.endBefore(e);
      throw e;
    }
  }

  private static @Nullable WorkHold acquire(Target target, LockTerms terms)
      throws InterruptedException {
    WorkHold.requireOutside(target);
    Optional<Lease> lease = target.acquire(terms.waitFor());
    return lease.map(each -> new WorkHold(target, each, terms.isShared())).orElse(null);
  }

  @SuppressWarnings("try") // the scope is there to be closed
  private static <X extends Throwable> CompletionStage<?> start(
      Object who, WorkHold hold, Work<X> work) throws X {
    try (WorkHold entered = hold.enter()) {
      CompletionStage<?> stage = (CompletionStage<?>) work.run();
      if (stage == null) {
        throw new NullPointerException(who + " returned null instead of a stage");
      }
      return stage;
    }
  }

  /** The caller's stage. To cancel it cancels the method's. */
  @SuppressWarnings("FutureReturnValueIgnored") // every outcome is in the result
  private static CompletableFuture<Object> follow(CompletionStage<?> stage, Ending ending) {
    CompletableFuture<Object> result = new CompletableFuture<>();
    var unused =
        stage.whenComplete((value, failure) ->
            ending
                .end(failure)
                .whenCompleteAsync( // the last step, as a step after it may run on this thread
                    (none, lost) -> {
                      if (failure != null) {
                        result.completeExceptionally(failure);
                      } else if (lost != null) {
                        result.completeExceptionally(cause(lost));
                      } else {
                        result.complete(value);
                      }
                    },
                    THREADS)
                .exceptionally(noThread -> { // or the loss, which it has already
                  result.completeExceptionally(noThread);
                  return null;
                }));
    var unusedToo =
        result.whenComplete((value, failure) -> {
          if (result.isCancelled()) {
            stage.toCompletableFuture().cancel(true);
          }
        });
    return result;
  }

  /** The failure of a future itself, which a step after it wraps. */
  public static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** How one lease ends: when the stage has completed, and the caller's transaction is over. */
  private record Ending(WorkHold hold, boolean keeps, CompletableFuture<Void> transaction) {
    Ending(WorkHold hold, boolean keeps) {
      this(
          hold, keeps, keeps ? new CompletableFuture<>() : CompletableFuture.completedFuture(null));
    }

    void transactionEnded() {
      transaction.complete(null);
    }

    /**
     * The work is over. The future fails if the lease was lost before. It does not wait for the
     * caller's transaction, because the caller may wait for it inside that.
     */
    CompletableFuture<Void> end(@Nullable Throwable failure) {
      CompletableFuture<Void> released =
          transaction.thenCompose(none -> hold.lease().releaseAsync());
      if (keeps) {
        var unused =
            released.exceptionally(lost -> {
              LOG.warn("a stage is over, and had lost its lock: {}", cause(lost).getMessage());
              return null;
            });
      }
      return (keeps ? stillHeld() : released)
          .whenComplete((none, lost) -> {
            if (failure != null && lost != null) {
              suppress(failure, lost);
            }
          });
    }

    /** There is no stage to follow: the lock is free before the caller learns of it. */
    void endBefore(Throwable failure) {
      if (keeps) {
        var unused = end(failure);
        return;
      }
      try {
        hold.lease().close();
      } catch (RuntimeException lost) {
        suppress(failure, lost);
      }
    }

    private static void suppress(Throwable failure, Throwable lost) {
      if (!cause(lost).equals(cause(failure))) {
        cause(failure).addSuppressed(cause(lost));
      }
    }

    private CompletableFuture<Void> stillHeld() {
      try {
        hold.ensureHeld();
        return CompletableFuture.completedFuture(null);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
