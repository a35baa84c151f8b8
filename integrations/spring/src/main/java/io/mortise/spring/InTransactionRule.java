package io.mortise.spring;

import io.mortise.annotations.internal.CallerTransaction;
import io.mortise.annotations.internal.HeldLock;
import io.mortise.annotations.internal.Target;
import io.mortise.spring.WithLockSettings.InTransaction;
import org.springframework.util.ClassUtils;

/** What the settings say of a transaction of the caller, if the application has any. */
record InTransactionRule(InTransaction setting) implements CallerTransaction {
  private static final boolean TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          InTransactionRule.class.getClassLoader());

  @Override
  public boolean decides(Object who, Target target) {
    if (isIgnored() || !TRANSACTIONS || !SpringTransaction.isActive()) {
      return false;
    }
    refuse(who, target);
    return true;
  }

  @Override
  public void keep(HeldLock hold, Runnable atEnd) {
    SpringTransaction.keep(hold, atEnd);
  }

  /** Throws if the settings do not allow a transaction of the caller. */
  void refuse(Object who, Target target) {
    if (setting == InTransaction.FAIL) {
      throw new IllegalStateException(
          "%s is called inside a transaction, so %s would not cover its commit; call it outside of one, or set mortise.with-lock.in-transaction=hold"
              .formatted(who, target.text()));
    }
  }

  /** Whether a transaction of the caller has no effect on a lock. */
  boolean isIgnored() {
    return setting == InTransaction.RELEASE;
  }
}
