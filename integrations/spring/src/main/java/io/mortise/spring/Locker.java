package io.mortise.spring;

import io.mortise.spring.WithLock.OnLost;
import io.mortise.spring.WithLockSettings.InTransaction;
import org.jspecify.annotations.Nullable;

/** Runs work of the calling thread under a lock: acquired, or not run. */
final class Locker {
  /** What runs under a lock. */
  interface Work {
    @Nullable Object run() throws Throwable;
  }

  /** The result of work that did not run, because another holder had the lock. */
  enum Busy {
    BUSY
  }

  private static final CallerTransaction TRANSACTION = CallerTransaction.find();

  private final InTransaction inTransaction;

  Locker(WithLockSettings settings) {
    inTransaction = settings.inTransaction();
  }

  /**
   * Runs the work.
   *
   * @param who the method, for messages
   * @return its result, or {@link Busy}
   * @throws io.mortise.LeaseLostException the work returned, but its lease is over
   */
  @SuppressWarnings("try") // scopes are there to be closed
  @Nullable Object run(Object who, Target target, LockTerms terms, Work work) throws Throwable {
    boolean keeps = keepsAfterReturn(who, target);
    ThreadScope hold = target.hold(terms);
    if (hold == null) {
      return Busy.BUSY;
    }
    try (Scope until = keeps ? untilTransactionEnds(hold) : hold;
        Scope interruption = interruption(hold, terms)) {
      return ResultKind.requireOver(who, work.run());
    }
  }

  /**
   * Whether the caller's transaction decides when the lock is released.
   *
   * @throws IllegalStateException there is one, and the settings do not allow it
   */
  boolean keepsAfterReturn(Object who, Target target) {
    if (inTransaction == InTransaction.RELEASE || !TRANSACTION.isActive()) {
      return false;
    }
    refuseTransaction(who, target);
    return true;
  }

  /** Throws if the settings do not allow a transaction of the caller. */
  void refuseTransaction(Object who, Target target) {
    if (inTransaction == InTransaction.FAIL) {
      throw new IllegalStateException(
          "%s is called inside a transaction, so %s would not cover its commit; call it outside of one, or set mortise.with-lock.in-transaction=hold"
              .formatted(who, target.text()));
    }
  }

  /** Whether a transaction of the caller has no effect on a lock. */
  boolean ignoresTransaction() {
    return inTransaction == InTransaction.RELEASE;
  }

  /** What ends with the work then: the hold does not. */
  private static Scope untilTransactionEnds(ThreadScope hold) {
    keep(hold, hold::transactionEnded, hold::close);
    return hold::keep;
  }

  /** Ties a hold to the caller's transaction, or ends it if that fails. */
  static void keep(HeldLock hold, Runnable atEnd, Runnable ifNot) {
    try {
      TRANSACTION.keep(hold, atEnd);
    } catch (RuntimeException | Error e) {
      ifNot.run();
      throw e;
    }
  }

  private static Scope interruption(ThreadScope hold, LockTerms terms) {
    return terms.onLost() == OnLost.INTERRUPT ? hold.interruption() : () -> {};
  }
}
