package io.mortise.internal.lock;

import io.mortise.Lease;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.internal.concurrent.Futures;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work that runs with a lease, from the end of the acquisition to the release. It is started on the
 * executor, and its result is delivered there.
 */
final class LeasedWork<T extends @Nullable Object> {
  private final Function<? super Lease, ? extends CompletionStage<T>> work;
  private final Executor executor;
  private final CompletableFuture<T> result = new CompletableFuture<>();

  LeasedWork(Function<? super Lease, ? extends CompletionStage<T>> work, Executor executor) {
    this.work = Objects.requireNonNull(work, "work");
    this.executor = executor;
  }

  /** Starts the work when the lease arrives. If the result is completed first, it withdraws. */
  CompletableFuture<T> after(CompletableFuture<Lease> acquired) {
    CompletableFuture<?> unused = acquired.whenCompleteAsync(this::acquired, executor);
    unused = result.whenComplete((value, failure) -> acquired.cancel(false));
    return result;
  }

  private void acquired(@Nullable Lease lease, @Nullable Throwable failure) {
    if (lease == null) {
      result.completeExceptionally(failure);
    } else if (result.isDone()) {
      CompletableFuture<Void> unused = lease.releaseAsync(); // nobody wants the work any more
    } else {
      start(lease);
    }
  }

  /** Foreign code may throw anything, also after it has passed on a result. The first counts. */
  private void start(Lease lease) {
    CompletableFuture<T> done = new CompletableFuture<>();
    CompletionStage<T> unused =
        done.whenComplete((value, failure) -> release(lease, value, failure));
    try {
      unused =
          Objects.requireNonNull(work.apply(lease), "the work has returned no stage")
              .whenComplete((value, failure) -> Futures.complete(done, value, failure));
    } catch (Throwable e) {
      done.completeExceptionally(e);
    }
  }

  private void release(Lease lease, T value, @Nullable Throwable failure) {
    LeaseState last = lease.state();
    Throwable own = Futures.cause(failure);
    CompletableFuture<Void> unused =
        lease
            .releaseAsync()
            .whenCompleteAsync(
                (released, refusal) ->
                    deliver(value, own, loss(lease, last, Futures.cause(refusal))),
                executor);
  }

  /** Why the lease was not held until now; null if it was. */
  private static @Nullable Throwable loss(
      Lease lease, LeaseState last, @Nullable Throwable refusal) {
    if (refusal != null) {
      return refusal;
    }
    return switch (last) {
      case HELD, SUSPECT -> null;
      case LOST ->
          new LeaseLostException(
              lease
                  + " was lost during the work that used it; others may have held the lock since (docs/troubleshooting.md#lease-lost)");
      case RELEASED ->
          new IllegalMonitorStateException(
              lease + " was released by the work that used it; leave the release to withLease");
    };
  }

  private void deliver(T value, @Nullable Throwable failure, @Nullable Throwable loss) {
    if (failure != null && loss != null && !failure.equals(loss)) {
      failure.addSuppressed(loss);
    }
    Futures.complete(result, value, failure == null ? loss : failure);
  }
}
