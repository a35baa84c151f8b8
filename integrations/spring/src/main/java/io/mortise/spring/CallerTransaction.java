package io.mortise.spring;

import org.springframework.util.ClassUtils;

/** The transaction in which a locked method is called. */
interface CallerTransaction {
  /** Whether the calling thread has one. */
  boolean isActive();

  /**
   * Ties a hold to the thread's transaction, which does not commit if the lock is lost by then.
   *
   * @param atEnd runs when the transaction is over, after what others do then; it may run on
   *     another thread
   */
  void keep(HeldLock hold, Runnable atEnd);

  /** That of Spring, if the application has {@code spring-tx}. */
  static CallerTransaction find() {
    boolean present =
        ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallerTransaction.class.getClassLoader());
    return present ? new SpringTransaction() : new None();
  }

  /** No transactions at all. */
  final class None implements CallerTransaction {
    @Override
    public boolean isActive() {
      return false;
    }

    @Override
    public void keep(HeldLock hold, Runnable atEnd) {
      throw new AssertionError("there is no transaction");
    }
  }
}
