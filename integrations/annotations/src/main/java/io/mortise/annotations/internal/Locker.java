package io.mortise.annotations.internal;

import org.jspecify.annotations.Nullable;

/** Runs work of the calling thread under a lock: acquired, or not run. */
public final class Locker {
  /** What runs under a lock. */
  public interface Work<X extends Throwable> {
    @Nullable Object run() throws X;
  }

  private final CallerTransaction transaction;

  /** For methods that may be called in a transaction. */
  public Locker(CallerTransaction transaction) {
    this.transaction = transaction;
  }

  /**
   * Runs the work.
   *
   * @param who the method, for messages
   * @return its result, or {@link NotRun}
   * @throws io.mortise.LeaseLostException the work returned, but its lease is over
   */
  @SuppressWarnings("try") // scopes are there to be closed
  public <X extends Throwable> @Nullable Object run(
      Object who, Target target, LockTerms terms, Work<X> work) throws X {
    boolean keeps = transaction.decides(who, target);
    ThreadScope hold;
    try {
      hold = target.hold(terms);
    } catch (InterruptedException e) {
      return new NotRun(who, target, terms, e);
    }
    if (hold == null) {
      return NotRun.busy(who, target, terms);
    }
    try (Scope until = keeps ? untilTransactionEnds(hold) : hold;
        Scope interruption = terms.interrupts() ? hold.interruption() : () -> {}) {
      return ResultKind.requireOver(who, work.run());
    }
  }

  /** What ends with the work then: the hold does not. */
  private Scope untilTransactionEnds(ThreadScope hold) {
    keep(transaction, hold, hold::transactionEnded, hold::close);
    return hold::keep;
  }

  /** Ties a hold to the caller's transaction, or ends it if that fails. */
  static void keep(CallerTransaction transaction, HeldLock hold, Runnable atEnd, Runnable ifNot) {
    try {
      transaction.keep(hold, atEnd);
    } catch (RuntimeException | Error e) {
      ifNot.run();
      throw e;
    }
  }
}
