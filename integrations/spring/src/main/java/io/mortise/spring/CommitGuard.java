package io.mortise.spring;

import io.mortise.annotations.internal.ThreadLocks;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls a transaction back if its thread has lost one of the locks under which it works. It is
 * called as the last one before the commit.
 */
final class CommitGuard implements TransactionExecutionListener {
  private static final CommitGuard ONE = new CommitGuard();

  private CommitGuard() {}

  /** Adds it to a bean that is a transaction manager, once. */
  static void addTo(Object bean) {
    if (bean instanceof ConfigurableTransactionManager manager
        && !manager.getTransactionExecutionListeners().contains(ONE)) {
      manager.addListener(ONE);
    }
  }

  @Override
  public void beforeCommit(TransactionExecution transaction) {
    ThreadLocks.ensureHeld();
  }
}
