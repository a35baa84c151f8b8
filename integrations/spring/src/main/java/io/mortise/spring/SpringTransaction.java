package io.mortise.spring;

import io.mortise.LeaseLostException;
import io.mortise.annotations.internal.HeldLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transaction that Spring has bound to the calling thread. */
final class SpringTransaction {
  private static final Logger LOG = LoggerFactory.getLogger(SpringTransaction.class);

  private SpringTransaction() {}

  /** Whether there is one, which tells its end. */
  static boolean isActive() {
    return TransactionSynchronizationManager.isActualTransactionActive()
        && TransactionSynchronizationManager.isSynchronizationActive();
  }

  /** As {@link InTransactionRule#keep}. */
  static void keep(HeldLock hold, Runnable atEnd) {
    TransactionSynchronizationManager.registerSynchronization(
        new UntilEnd(hold, new End(hold, atEnd)));
  }

  /** Comes after all others that have the lowest order too, because it registers the end late. */
  private record UntilEnd(HeldLock hold, End end) implements TransactionSynchronization {
    @Override
    public void beforeCommit(boolean readOnly) {
      hold.ensureHeld();
    }

    @Override
    public void beforeCompletion() {
      TransactionSynchronizationManager.registerSynchronization(end);
      end.isRegistered = true;
    }

    /** For a transaction that ends without a word before, as JTA may do. */
    @Override
    public void afterCompletion(int status) {
      if (!end.isRegistered) {
        end.afterCompletion(status);
      }
    }
  }

  /** Comes last, so an exception of it keeps no other from its work, and the lock covers that. */
  private static final class End implements TransactionSynchronization {
    private final HeldLock hold;
    private final Runnable atEnd;
    private volatile boolean isRegistered;

    End(HeldLock hold, Runnable atEnd) {
      this.hold = hold;
      this.atEnd = atEnd;
    }

    /** A loss during the commit itself is told to the caller, although the data is committed. */
    @Override
    public void afterCommit() {
      hold.ensureHeld();
    }

    @Override
    public void afterCompletion(int status) {
      try {
        atEnd.run();
      } catch (LeaseLostException e) {
        LOG.warn("a transaction is over, and had lost its lock: {}", e.getMessage());
      }
    }
  }
}
