package io.mortise.spring;

import io.mortise.annotations.internal.WorkHold;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/** The transaction that is in the context of a subscription. */
final class ReactiveTransaction {
  private ReactiveTransaction() {}

  /**
   * Ties a lease to the subscriber's transaction, if there is one: it does not commit if the lease
   * is lost by then, and its end releases the lease.
   *
   * @param check throws if the settings do not allow a transaction
   * @return whether there is one
   */
  static Mono<Boolean> keep(WorkHold hold, Runnable check) {
    return TransactionSynchronizationManager.forCurrentTransaction()
        .filter(current -> current.isActualTransactionActive() && current.isSynchronizationActive())
        .map(current -> {
          check.run();
          current.registerSynchronization(new UntilEnd(current, new End(hold)));
          return true;
        })
        .onErrorReturn(NoTransactionException.class, false)
        .defaultIfEmpty(false);
  }

  /** Comes after all others, because it registers the end late. */
  private record UntilEnd(TransactionSynchronizationManager transaction, End end)
      implements TransactionSynchronization {
    @Override
    public Mono<Void> beforeCommit(boolean readOnly) {
      return Mono.fromRunnable(end.hold::ensureHeld);
    }

    @Override
    public Mono<Void> beforeCompletion() {
      return Mono.fromRunnable(() -> {
        transaction.registerSynchronization(end);
        end.isRegistered = true;
      });
    }

    /** For a transaction that ends without a word before. */
    @Override
    public Mono<Void> afterCompletion(int status) {
      return end.isRegistered ? Mono.empty() : end.afterCompletion(status);
    }
  }

  /** Comes last, so the lock covers what others do at the end of the transaction. */
  private static final class End implements TransactionSynchronization {
    private final WorkHold hold;
    private volatile boolean isRegistered;

    End(WorkHold hold) {
      this.hold = hold;
    }

    /**
     * A loss during the commit itself is told to the subscriber, although the data is committed.
     */
    @Override
    public Mono<Void> afterCommit() {
      return Mono.fromRunnable(hold::ensureHeld);
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
      return Mono.fromFuture(() -> hold.lease().releaseAsync(), true);
    }
  }
}
