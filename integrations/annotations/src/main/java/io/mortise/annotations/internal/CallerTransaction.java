package io.mortise.annotations.internal;

/** The transaction in which a method is called, where a framework has some. */
public interface CallerTransaction {
  /**
   * Whether there is one that decides when the lock is released.
   *
   * @param who the method, for messages
   * @throws IllegalStateException there is one, and the application does not allow it
   */
  boolean decides(Object who, Target target);

  /**
   * Ties a hold to the thread's transaction, which does not commit if the lock is lost by then.
   *
   * @param atEnd runs when the transaction is over, after what others do then; it may run on
   *     another thread
   */
  void keep(HeldLock hold, Runnable atEnd);

  /** No transactions at all. */
  final class None implements CallerTransaction {
    @Override
    public boolean decides(Object who, Target target) {
      return false;
    }

    @Override
    public void keep(HeldLock hold, Runnable atEnd) {
      throw new AssertionError("there is no transaction");
    }
  }
}
