package io.mortise.conformance.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** One direction of a proxy. It decides how the bytes of that direction move. */
final class Flow {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean stalled;
  private boolean dropping;
  private long delayNanos;

  void stall(boolean on) {
    change(() -> stalled = on);
  }

  void drop(boolean on) {
    change(() -> dropping = on);
  }

  void delay(Duration delay) {
    change(() -> delayNanos = delay.toNanos());
  }

  void pass() {
    change(() -> {
      stalled = false;
      dropping = false;
      delayNanos = 0;
    });
  }

  /** Makes waiting threads check again. */
  void wake() {
    change(() -> {});
  }

  private void change(Runnable edit) {
    lock.lock();
    try {
      edit.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until bytes may go on. Returns whether they are forwarded.
   *
   * @param arrival when they came, by {@link System#nanoTime}
   */
  boolean awaitPassage(long arrival, BooleanSupplier ended) {
    lock.lock();
    try {
      while (!ended.getAsBoolean()) {
        long left = delayNanos - (System.nanoTime() - arrival);
        if (stalled) {
          changed.await();
        } else if (left > 0 && !dropping) {
          changed.await(left, TimeUnit.NANOSECONDS);
        } else {
          return !dropping;
        }
      }
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException("the threads of a proxy are never interrupted", e);
    } finally {
      lock.unlock();
    }
  }
}
