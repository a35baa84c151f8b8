package io.mortise.annotations.internal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one call holds for the thread that made it, until the call or its transaction is over. The
 * thread's own list of locks has it meanwhile, and only that thread changes the list.
 */
public abstract class ThreadScope implements HeldLock, Scope {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadScope.class);

  private final long since = System.nanoTime();
  private final Thread thread = Thread.currentThread();

  /** Whether the work has ended, and the hold lasts for the caller's transaction. */
  private volatile boolean kept;

  private volatile boolean transactionOver;

  /** Releases what was acquired. */
  protected abstract void release();

  /** Another thread has ended the transaction. The own thread has the hold in its list still. */
  protected abstract void transactionEndedBy(Thread other, Thread own, boolean workIsOver);

  /** The scope that interrupts the thread at a loss. */
  protected abstract Scope interruption();

  /** The time since the acquisition, in nanoseconds. */
  protected final long age() {
    return System.nanoTime() - since;
  }

  /** The work has ended. The hold ends with the transaction, or now if that is over already. */
  final void keep() {
    kept = true;
    if (transactionOver) {
      close();
    } else {
      ensureHeld();
    }
  }

  /** The transaction is over. Another thread may say so. */
  final void transactionEnded() {
    if (Thread.currentThread().equals(thread)) {
      close();
      return;
    }
    transactionOver = true;
    transactionEndedBy(Thread.currentThread(), thread, kept);
  }

  @Override
  public final void endIfOver() {
    if (kept && transactionOver) {
      try {
        close();
      } catch (RuntimeException e) {
        LOG.warn("an earlier transaction of this thread is over: {}", e.getMessage());
      }
    }
  }

  /**
   * Releases this level. Only the last level's release tells a loss by itself, and an outer level
   * may be the caller's own.
   */
  @Override
  public final void close() {
    ThreadLocks.remove(this);
    try {
      ensureHeld();
    } finally {
      release();
    }
  }
}
