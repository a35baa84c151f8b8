package io.mortise.cdi;

import io.mortise.FencedLock;
import io.mortise.LeasedLock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One level of a lock that the current thread holds. The thread's own list of locks has it until it
 * is closed.
 */
final class ThreadHold implements HeldLock, Scope {
  private final long since = System.nanoTime();
  private final LockTarget target;
  private final LockTerms terms;

  private ThreadHold(LockTarget target, LockTerms terms) {
    this.target = target;
    this.terms = terms;
  }

  /**
   * Acquires the lock.
   *
   * <p>A thread whose hold is lost can acquire the lock anew, and its outer work would then look
   * held. So the outer holds are checked before and after.
   *
   * @return null if another holder had it until the wait was over
   * @throws io.mortise.LeaseLostException the thread works under this lock already, and has lost it
   */
  static @Nullable ThreadHold acquire(LockTarget target, LockTerms terms)
      throws InterruptedException {
    checkNests(ThreadLocks.find(target));
    List<HeldLock> outer = ThreadLocks.around(target, terms.isShared());
    outer.forEach(HeldLock::ensureHeld);
    LeasedLock lock = target.lock();
    if (!terms.lock(lock)) {
      return null;
    }
    if (outer.stream().anyMatch(each -> target.hasAloneOf(each.target()))) {
      lock.unlock(); // the outer hold ended just before
      outer.forEach(HeldLock::ensureHeld);
    }
    ThreadHold hold = new ThreadHold(target, terms);
    ThreadLocks.add(hold);
    return hold;
  }

  private static void checkNests(@Nullable HeldLock outer) {
    if (outer != null && !outer.isReentrant()) {
      throw new IllegalStateException(
          "%s is held for the stage that this thread is making; that hold is not reentrant, so the thread would wait for itself; use another lock, or lock only one of the two methods"
              .formatted(outer.target().text()));
    }
  }

  @Override
  public LockTarget target() {
    return target;
  }

  @Override
  public void ensureHeld() {
    target.lock().ensureHeld();
  }

  @Override
  public long fencingToken() {
    if (target.lock() instanceof FencedLock fenced) {
      return fenced.fencingToken();
    }
    throw HeldLock.noToken(target);
  }

  @Override
  public boolean isShared() {
    return terms.isShared();
  }

  @Override
  public boolean isReentrant() {
    return true;
  }

  /**
   * Releases this level. Only the last level's release tells a loss by itself, and an outer level
   * may be the caller's own.
   */
  @Override
  public void close() {
    ThreadLocks.remove(this);
    try {
      ensureHeld();
    } finally {
      release();
    }
  }

  private void release() {
    LeasedLock lock = target.lock();
    if (terms.atLeast().isZero()) {
      lock.unlock();
    } else {
      lock.unlockAfter(terms.atLeast().minusNanos(System.nanoTime() - since));
    }
  }
}
