package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.LockService;
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
  @Nullable Object run(Object who, LockService service, String name, LockTerms terms, Work work)
      throws Throwable {
    boolean keeps = keepsAfterReturn(who, name);
    DistributedLock lock = terms.lock(service, name);
    ThreadHold hold = ThreadHold.acquire(lock, terms);
    if (hold == null) {
      return Busy.BUSY;
    }
    try (Scope until = keeps ? untilTransactionEnds(hold) : hold;
        Scope interruption = interruption(lock, terms)) {
      return ResultKind.requireOver(who, work.run());
    }
  }

  /**
   * Whether the caller's transaction decides when the lock is released.
   *
   * @throws IllegalStateException there is one, and the settings do not allow it
   */
  boolean keepsAfterReturn(Object who, String name) {
    if (inTransaction == InTransaction.RELEASE || !TRANSACTION.isActive()) {
      return false;
    }
    refuseTransaction(who, name);
    return true;
  }

  /** Throws if the settings do not allow a transaction of the caller. */
  void refuseTransaction(Object who, String name) {
    if (inTransaction == InTransaction.FAIL) {
      throw new IllegalStateException(
          "%s is called inside a transaction, so lock '%s' would not cover its commit; call it outside of one, or set mortise.with-lock.in-transaction=hold"
              .formatted(who, name));
    }
  }

  /** Whether a transaction of the caller has no effect on a lock. */
  boolean ignoresTransaction() {
    return inTransaction == InTransaction.RELEASE;
  }

  /** What ends with the work then: the hold does not. */
  private static Scope untilTransactionEnds(ThreadHold hold) {
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

  private static Scope interruption(DistributedLock lock, LockTerms terms) {
    return terms.onLost() == OnLost.INTERRUPT ? new Interruption(lock) : () -> {};
  }
}
