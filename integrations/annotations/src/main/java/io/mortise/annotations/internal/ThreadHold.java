package io.mortise.annotations.internal;

import io.mortise.FencedLock;
import io.mortise.LeasedLock;
import io.mortise.spi.internal.Shown;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One level of a lock that the current thread holds. No other thread can release it. */
final class ThreadHold extends ThreadScope {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadHold.class);

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
          "%s is held for work that ends later, which this thread is starting; that hold is not reentrant, so the thread would wait for itself; use another lock, or lock only one of the two methods"
              .formatted(outer.target().text()));
    }
  }

  @Override
  public Target target() {
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

  @Override
  protected Scope interruption() {
    return Interruption.of(target.lock());
  }

  @Override
  protected void transactionEndedBy(Thread other, Thread own, boolean workIsOver) {
    LOG.error(
        "{} stays held: its transaction was ended by thread {}, and only thread {} can release it; it does so when its method returns, or when it next uses a lock with @WithLock; raise the transaction's timeout, or call forceUnlock()",
        target.text(),
        Shown.of(other),
        Shown.of(own));
  }

  @Override
  protected void release() {
    LeasedLock lock = target.lock();
    if (terms.atLeast().isZero()) {
      lock.unlock();
    } else {
      lock.unlockAfter(terms.atLeast().minusNanos(age()));
    }
  }
}
