package io.mortise.spring.integration;

import io.mortise.LeaseState;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedCallable;

/**
 * A lock of the registry. It keeps no state, so two of the same lock are equal.
 *
 * <p><b>A lost hold stays lost.</b> A thread whose hold was lost may lock again in Mortise: it
 * acquires anew. Here that is an exception until the thread has unlocked. Spring Integration's
 * leader election locks again at each heartbeat, to learn whether it still leads. If it acquired
 * anew, it would lead on, and would not know that another one has led meanwhile. The service
 * forgets a loss if the thread asked its lock {@code isHeldByCurrentThread} and then acquires
 * another one. Nothing here asks.
 *
 * @param target the lock of Mortise, with its lease
 */
record RegistryLock(io.mortise.DistributedLock target) implements DistributedLock {
  /** One way to acquire. */
  private interface Attempt<E extends Exception> {
    boolean run() throws E;
  }

  // Acquiring

  @Override
  public void lock() {
    boolean unused =
        this.<RuntimeException>acquire(() -> {
          target.lock();
          return true;
        });
  }

  @Override
  public void lock(Duration ttl) {
    new RegistryLock(target.withLease(ttl)).lock();
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    boolean unused =
        this.<InterruptedException>acquire(() -> {
          target.lockInterruptibly();
          return true;
        });
  }

  @Override
  public boolean tryLock() {
    return this.<RuntimeException>acquire(target::tryLock);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return this.<InterruptedException>acquire(() -> target.tryLock(time, unit));
  }

  boolean tryLock(Duration waitTime) throws InterruptedException {
    return this.<InterruptedException>acquire(() -> target.tryLock(waitTime));
  }

  @Override
  public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
    return new RegistryLock(target.withLease(ttl)).tryLock(waitTime);
  }

  /**
   * Acquires, unless the thread's hold was lost. A hold may be lost in the course of this too. Then
   * what was acquired is a new hold, so the count of holds has not grown, and it is given back.
   */
  private <E extends Exception> boolean acquire(Attempt<E> attempt) throws E {
    int before = target.getHoldCount(); // before the state, which shows a hold that ends in between
    if (target.leaseState() == LeaseState.LOST) {
      target.ensureHeld();
    }
    boolean acquired = attempt.run();
    if (acquired && before > 0 && target.getHoldCount() <= before) {
      target.unlock();
      target.ensureHeld();
    }
    return acquired;
  }

  /** Makes the calling thread's hold last at least that long from now. */
  void renew(Duration ttl) {
    RegistryLock longer = new RegistryLock(target.withLease(ttl));
    target.ensureHeld();
    if (longer.tryLock()) {
      longer.unlock();
    }
    target.ensureHeld();
  }

  // Releasing

  /**
   * Calls the task of a thread that holds the lock, and unlocks. A result counts only if the thread
   * has held the lock until now. No exception of the task is hidden.
   */
  <T extends @Nullable Object, E extends Throwable> T callAndUnlock(CheckedCallable<T, E> task)
      throws E {
    T result;
    try {
      result = task.call();
    } catch (Throwable e) {
      RuntimeException problem = release();
      if (problem != null && !problem.equals(e)) {
        e.addSuppressed(problem);
      }
      throw e;
    }
    RuntimeException problem = release();
    if (problem != null) {
      throw problem;
    }
    return result;
  }

  /** Unlocks. The unlock of a nested hold does not notice a loss, so this looks first. */
  private @Nullable RuntimeException release() {
    RuntimeException lost = thrownBy(target::ensureHeld);
    RuntimeException failed = thrownBy(target::unlock);
    return lost == null ? failed : lost;
  }

  private static @Nullable RuntimeException thrownBy(Runnable step) {
    try {
      step.run();
      return null;
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Override
  public void unlock() {
    target.unlock();
  }

  @Override
  public Condition newCondition() {
    return target.newCondition();
  }

  @Override
  public String toString() {
    return target.toString();
  }
}
