package io.mortise.internal.lock;

import io.mortise.internal.engine.ConditionWaiter;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Hold;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A condition of one lock: the part that is the same for a private condition and for one that
 * processes share.
 *
 * <p>A waiting thread joins the queue of the condition, gives the lock back, parks until it is
 * signalled, and locks again as any thread does. So a signal costs what it costs to wake a thread,
 * and the lock stays as fair as it is.
 *
 * <p>The thread leaves the queue only when it has the lock again. So a signal that is sent in
 * between reaches this thread, and the thread reports it when it returns. A thread that reports no
 * signal has never received one.
 */
abstract class LockCondition implements Condition {
  private static final long FOREVER = Long.MAX_VALUE / 4;

  private final LockHandle lock;

  LockCondition(LockHandle lock) {
    this.lock = lock;
  }

  final LockHandle lock() {
    return lock;
  }

  final Engine engine() {
    return lock.engine();
  }

  /** Adds the waiter to the queue. The calling thread holds the lock, also if this fails. */
  abstract void join(ConditionWaiter waiter);

  /** The time (ns) to park before {@link #check}. */
  abstract long untilCheck();

  /** Asks whether a signal has come whose message was lost. */
  abstract void check(ConditionWaiter waiter);

  /**
   * Removes the waiter from the queue. The calling thread holds the lock.
   *
   * @return false if the waiter has been signalled
   */
  abstract boolean leave(ConditionWaiter waiter);

  /**
   * Removes the waiter of a thread that could not get the lock again. Its signal, if any, goes to
   * the next waiter.
   */
  abstract void abandon(ConditionWaiter waiter);

  /** Signals the first waiter, or all waiters. */
  abstract void signal(Hold hold, boolean all);

  @Override
  public void signal() {
    signal(lock.requireHold(), false);
  }

  @Override
  public void signalAll() {
    signal(lock.requireHold(), true);
  }

  @Override
  public void await() throws InterruptedException {
    boolean unused = waitForSignal(true, FOREVER);
  }

  @Override
  public void awaitUninterruptibly() {
    try {
      boolean unused = waitForSignal(false, FOREVER);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait does not throw", e);
    }
  }

  @Override
  public boolean await(long wait, TimeUnit unit) throws InterruptedException {
    return waitForSignal(true, clamped(unit.toNanos(wait)));
  }

  @Override
  public long awaitNanos(long nanos) throws InterruptedException {
    long wait = clamped(nanos);
    long deadline = engine().store().now() + wait;
    boolean unused = waitForSignal(true, wait);
    return deadline - engine().store().now();
  }

  @Override
  @SuppressWarnings("JavaUtilDate") // the interface Condition needs it
  public boolean awaitUntil(Date deadline) throws InterruptedException {
    long now = System.currentTimeMillis();
    long left = Math.max(deadline.getTime(), now) - now;
    return waitForSignal(true, clamped(TimeUnit.MILLISECONDS.toNanos(left)));
  }

  /** Limits a wait, so that no sum with the time overflows. */
  private static long clamped(long nanos) {
    return Math.max(0, Math.min(nanos, FOREVER));
  }

  /** Waits as the class comment says. Returns whether the thread was signalled. */
  private boolean waitForSignal(boolean interruptible, long nanos) throws InterruptedException {
    Hold hold = lock.requireHold();
    engine().store().checkOpen(lock.keys()); // otherwise it would give the lock back in vain
    lock.checkLocksAgain();
    if (interruptible && Thread.interrupted()) {
      throw new InterruptedException();
    }
    long deadline = engine().store().now() + nanos;
    ConditionWaiter waiter = new ConditionWaiter(engine().newStepId());
    engine().conditions().add(waiter);
    try {
      join(waiter);
      return waitJoined(waiter, hold, interruptible, deadline);
    } finally {
      engine().conditions().remove(waiter);
    }
  }

  private boolean waitJoined(
      ConditionWaiter waiter, Hold hold, boolean interruptible, long deadline)
      throws InterruptedException {
    LockHandle again = lock.handleOf(hold);
    int count = hold.count();
    boolean interrupted = false;
    boolean signalled;
    try {
      Long kept = hold.forgetKept(); // the outermost level is not left yet
      unlock(hold);
      interrupted = waitWithoutLock(waiter, interruptible, deadline);
      lockAll(again, count, kept);
      signalled = !leave(waiter);
    } catch (Throwable e) { // an Error too: it would take the signal of another thread
      abandon(waiter);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
    if (interrupted && interruptible && !signalled) {
      throw new InterruptedException();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return signalled;
  }

  private void unlock(Hold hold) {
    while (hold.count() > 1) {
      hold.exit();
    }
    lock.unlock();
  }

  /**
   * Waits until there is a reason to acquire the lock again. Returns whether the thread was
   * interrupted.
   */
  private boolean waitWithoutLock(ConditionWaiter waiter, boolean interruptible, long deadline) {
    boolean interrupted = false;
    long nextCheck = engine().store().now() + untilCheck();
    while (!waiter.isSignalled()
        && engine().store().takesWork()
        && !(interrupted && interruptible)) {
      long now = engine().store().now();
      if (now - deadline >= 0) {
        break;
      }
      if (waiter.takeDue() || now - nextCheck >= 0) {
        check(waiter);
        nextCheck = engine().store().now() + untilCheck();
      } else {
        engine().store().time().parkNanos(this, Math.min(deadline, nextCheck) - now);
      }
      interrupted |= Thread.interrupted();
    }
    return interrupted;
  }

  /**
   * Locks as many times as the hold had levels. Only the first may need a command and fail.
   *
   * @param kept when it ends, the lock must not be free before that time; null if it may be
   */
  private static void lockAll(LockHandle again, int levels, @Nullable Long kept) {
    again.lockUnbroken();
    Engine engine = again.engine();
    Hold held = engine.gates().holdOfCurrentThread(again.keys());
    // It may be lost already. Then each level is told of that.
    Hold hold = held == null ? engine.lostHolds().find(again.keys()) : held;
    for (int i = 1; hold != null && i < levels; i++) {
      hold.enter();
    }
    if (hold != null && kept != null) {
      hold.keepUntil(kept);
    }
  }
}
