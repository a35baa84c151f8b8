package io.mortise.spi;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Monotonic time, parking and timers behind one door, so that a test can move all three together.
 * Thread-safe.
 */
public interface TimeSource {
  /**
   * Monotonic time with an arbitrary origin, as {@link System#nanoTime}.
   *
   * @return nanoseconds, to be compared by subtraction only
   */
  long nanoTime();

  /**
   * Parks the calling thread as {@link LockSupport#parkNanos(Object, long)} does: until it is
   * unparked by {@link #unpark}, is interrupted, or the time has passed; or for no reason.
   *
   * @param blocker what the thread waits for, for thread dumps
   * @param nanos the longest time to park; returns at once if not positive
   */
  void parkNanos(Object blocker, long nanos);

  /**
   * Wakes a thread that is parked in {@link #parkNanos}, or keeps its next park from waiting. A
   * time that a test moves waits for the thread before it moves on.
   *
   * @param thread whom to wake
   */
  default void unpark(Thread thread) {
    LockSupport.unpark(thread);
  }

  /**
   * Runs a task once, later, on a timer thread that other tasks share: the task must be short and
   * must not block or throw.
   *
   * @param task what to run
   * @param delay from now; at once if not positive
   * @return cancels the task if it has not begun
   */
  Timer schedule(Runnable task, Duration delay);

  /** A task that has been scheduled. */
  interface Timer extends AutoCloseable {
    /** Cancels the task if it has not begun. Idempotent, never blocks. */
    @Override
    void close();
  }

  /**
   * The system's time. Its timers run on one daemon thread, which ends when none has been pending
   * for some seconds.
   *
   * @return the one instance
   */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }
}

final class SystemTime implements TimeSource {
  static final SystemTime INSTANCE = new SystemTime();

  private final ScheduledThreadPoolExecutor timers;

  private SystemTime() {
    timers =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "mortise-timer");
              thread.setDaemon(true);
              return thread;
            });
    timers.setRemoveOnCancelPolicy(true);
    timers.setKeepAliveTime(5, TimeUnit.SECONDS);
    timers.allowCoreThreadTimeOut(true);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    ScheduledFuture<?> future = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }
}
