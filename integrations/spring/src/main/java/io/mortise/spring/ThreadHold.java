package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.FencedLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One level of a lock that the current thread holds. Only that thread uses it. Another thread may
 * end its transaction, and cannot release it then.
 */
final class ThreadHold implements HeldLock, Scope {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadHold.class);

  private final DistributedLock lock;
  private final LockTerms terms;
  private final long since = System.nanoTime();
  private final Thread thread = Thread.currentThread();

  /** Whether the work has ended, and the hold lasts for the caller's transaction. */
  private boolean kept;

  private volatile boolean transactionOver;

  private ThreadHold(DistributedLock lock, LockTerms terms) {
    this.lock = lock;
    this.terms = terms;
  }

  /**
   * Acquires the lock.
   *
   * <p>A thread whose hold is lost can acquire the lock anew, and its outer work would then look
   * held. So the outer hold is checked before and after.
   *
   * @return null if another holder had it until the wait was over
   * @throws io.mortise.LeaseLostException the thread works under this lock already, and has lost it
   */
  static @Nullable ThreadHold acquire(DistributedLock lock, LockTerms terms)
      throws InterruptedException {
    checkNests(ThreadLocks.find(lock));
    HeldLock outer = ThreadLocks.find(lock, terms.isShared());
    if (outer != null) {
      outer.ensureHeld();
    }
    if (!terms.acquire(lock)) {
      return null;
    }
    if (outer != null && lock.getHoldCount() == 1) {
      lock.unlock(); // the outer hold ended just before
      outer.ensureHeld();
    }
    ThreadHold hold = new ThreadHold(lock, terms);
    ThreadLocks.add(hold);
    return hold;
  }

  private static void checkNests(@Nullable HeldLock outer) {
    if (outer != null && !outer.isReentrant()) {
      throw new IllegalStateException(
          "lock '%s' is held for the stage or publisher that this thread is making; that hold is not reentrant, so the thread would wait for itself; use another lock, or lock only one of the two methods"
              .formatted(outer.lock().name()));
    }
  }

  @Override
  public DistributedLock lock() {
    return lock;
  }

  @Override
  public void ensureHeld() {
    lock.ensureHeld();
  }

  @Override
  public long fencingToken() {
    if (lock instanceof FencedLock fenced) {
      return fenced.fencingToken();
    }
    throw new IllegalStateException(
        "lock '%s' has no fencing token; set kind = FENCED".formatted(lock.name()));
  }

  @Override
  public boolean isShared() {
    return terms.isShared();
  }

  @Override
  public boolean isReentrant() {
    return true;
  }

  /** The work has ended. The hold ends with the transaction, or now if that is over already. */
  void keep() {
    kept = true;
    if (transactionOver) {
      close();
    } else {
      ensureHeld();
    }
  }

  /** The transaction is over. Another thread may say so, which cannot release the lock. */
  void transactionEnded() {
    if (Thread.currentThread().equals(thread)) {
      close();
      return;
    }
    transactionOver = true;
    LOG.error(
        "lock '{}' stays held: its transaction was ended by thread {}, and only thread {} can release it; it does so when its method returns, or when it next uses a lock with @WithLock; raise the transaction's timeout, or call forceUnlock()",
        lock.name(),
        Thread.currentThread().getName(),
        thread.getName());
  }

  @Override
  public void endIfOver() {
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
  public void close() {
    ThreadLocks.remove(this);
    try {
      lock.ensureHeld();
    } finally {
      release();
    }
  }

  private void release() {
    if (terms.atLeast().isZero()) {
      lock.unlock();
    } else {
      lock.unlockAfter(terms.atLeast().minusNanos(System.nanoTime() - since));
    }
  }
}
