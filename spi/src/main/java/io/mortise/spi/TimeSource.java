package io.mortise.spi;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Monotonic time, parking and timers in one interface, so that a test can move all three together.
 * Thread-safe.
 */
public interface TimeSource {
  /**
   * The monotonic time with an arbitrary origin, as {@link System#nanoTime}.
   *
   * @return nanoseconds, to be compared by subtraction only
   */
  long nanoTime();

  /**
   * The time of day, as {@link System#currentTimeMillis}. It goes on while the machine is
   * suspended, where the monotonic time may stand still. By default it goes with {@link #nanoTime},
   * as if the machine were never suspended. That is right for a time that a test moves, and for no
   * other. A wrapper of another time extends {@link ForwardingTime}.
   *
   * @return milliseconds
   */
  default long currentTimeMillis() {
    return nanoTime() / 1_000_000;
  }

  /**
   * Parks the calling thread as {@link LockSupport#parkNanos(Object, long)} does. It returns when
   * the thread is unparked by {@link #unpark} or interrupted, or when the time has passed. It may
   * also return for no reason.
   *
   * @param blocker the object that the thread waits for, shown in thread dumps
   * @param nanos the longest time to park (ns); returns at once if not positive
   */
  void parkNanos(Object blocker, long nanos);

  /**
   * Refuses a thread that must not park, because what it would wait for comes over this thread.
   * Whatever is about to park a thread calls this first, before it sends anything. By default no
   * thread is refused.
   *
   * @throws IllegalStateException the calling thread is refused; the message names it and says what
   *     to use instead
   */
  default void checkMayPark() {}

  /**
   * Wakes a thread that is parked in {@link #parkNanos}. If it is not parked, its next park returns
   * at once. A time source that a test moves waits for the thread before it moves on.
   *
   * @param thread the thread to wake
   */
  default void unpark(Thread thread) {
    LockSupport.unpark(thread);
  }

  /**
   * Runs a task once, later, on a timer thread that other tasks share. The task must be short, and
   * must not block or throw. If this method throws, for example an Error as no thread can be made,
   * the task never runs.
   *
   * @param task the task to run
   * @param delay the time from now; at once if not positive
   * @return a timer; closing it cancels the task if it has not begun
   */
  Timer schedule(Runnable task, Duration delay);

  /** A scheduled task. */
  interface Timer extends AutoCloseable {
    /** Cancels the task if it has not begun. It never blocks. Idempotent. */
    @Override
    void close();
  }

  /**
   * The system's time. Its timers run on one daemon thread, which ends when no timer has been
   * pending for some seconds.
   *
   * @return the only instance
   */
  static TimeSource system() {
    return SystemTime.INSTANCE;
  }

  /**
   * Whether the calling thread runs the timers of {@link #system}. All services of the JVM share
   * it, so code that may block must not run there.
   *
   * @return true on that thread
   */
  static boolean isOnTimer() {
    return Thread.currentThread() instanceof SystemTime.Ticker;
  }
}

final class SystemTime implements TimeSource {
  static final SystemTime INSTANCE = new SystemTime();

  /**
   * The timer's thread. It may be started by any thread of the application, and takes nothing of it
   * along.
   */
  static final class Ticker extends Thread {
    Ticker(Runnable task) {
      super(null, task, "mortise-timer", 0, false);
      setDaemon(true);
      setContextClassLoader(SystemTime.class.getClassLoader());
    }
  }

  /** A task in the queue, which may be refused after it got there. */
  private static final class Kept implements Runnable {
    private volatile @Nullable Runnable task;

    Kept(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      Runnable wanted = task;
      if (wanted != null) {
        wanted.run();
      }
    }
  }

  private final ScheduledThreadPoolExecutor timers;

  private SystemTime() {
    timers = new ScheduledThreadPoolExecutor(1, Ticker::new);
    timers.setRemoveOnCancelPolicy(true);
    timers.setKeepAliveTime(5, TimeUnit.SECONDS);
    timers.allowCoreThreadTimeOut(true);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    Kept kept = new Kept(task);
    try {
      ScheduledFuture<?> future = timers.schedule(kept, delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (Throwable e) { // an Error too: no thread can be made, and the task is in the queue
      kept.task = null;
      throw e;
    }
  }
}
