package io.mortise.backend.support;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A timer that runs only while its backend is in use. It runs some work at a fixed period, and
 * stops after five ticks without a use. The next use starts it again. Once closed it stands still,
 * and nothing refers to its work. Thread-safe.
 */
public final class ActivityTimer implements AutoCloseable {
  private static final int LAST = 5;
  private static final int STILL = -1;

  private final Runnable work;
  private final Duration period;
  private final TimeSource time;

  /** The number of ticks since the last use, or {@link #STILL} while the timer is stopped. */
  private final AtomicInteger unused = new AtomicInteger(STILL);

  /** The next tick. Only the one chain of ticks sets it. */
  private volatile TimeSource.Timer next = () -> {};

  private volatile boolean closed;

  /**
   * Creates the timer, stopped.
   *
   * @param work runs at each tick, on the system's timer thread; must be short
   * @param period the time between ticks, and from a use that starts the timer to its first tick
   */
  public ActivityTimer(Runnable work, Duration period) {
    this(work, period, TimeSource.system());
  }

  ActivityTimer(Runnable work, Duration period, TimeSource time) {
    this.work = work;
    this.period = period;
    this.time = time;
  }

  /**
   * Notes a use of the backend. Only the first use after a tick writes; later uses read one
   * variable.
   */
  public void use() {
    if (unused.get() != 0 && unused.getAndSet(0) == STILL) {
      awaitNext();
    }
  }

  private void awaitNext() {
    if (closed) {
      return;
    }
    try {
      next = time.schedule(this::beat, period);
    } catch (Error e) { // no thread can be made: the next use tries again
      unused.set(STILL);
      throw e;
    }
    if (closed) {
      next.close(); // close() may have seen the one before
    }
  }

  private void beat() {
    int before = unused.get();
    boolean ends = before == LAST && unused.compareAndSet(LAST, STILL);
    if (!ends && !closed) {
      unused.compareAndSet(before, before + 1); // no effect if a use came first
      awaitNext();
      work.run();
    }
  }

  /** Stops for good. Work that has begun goes on. */
  @Override
  public void close() {
    closed = true;
    next.close();
  }
}
