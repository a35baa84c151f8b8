package io.mortise.backend.support;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a backend does again and again while it is used, and not while nobody calls: it stops after
 * five beats without a use, and the next use starts it anew. Thread-safe.
 */
public final class Pulse {
  private static final int LAST = 5;
  private static final int STILL = -1;

  private final Runnable work;
  private final Duration period;

  /** Beats since the last use, or that there are none. */
  private final AtomicInteger unused = new AtomicInteger(STILL);

  /**
   * It is still.
   *
   * @param work what to do at each beat, on the system's timer thread: short
   * @param period from a beat to the next, and from the use that starts it to the first
   */
  public Pulse(Runnable work, Duration period) {
    this.work = work;
    this.period = period;
  }

  /** The backend is used. A read of one variable, but for the first time since a beat. */
  public void use() {
    if (unused.get() != 0 && unused.getAndSet(0) == STILL) {
      awaitNext();
    }
  }

  private void awaitNext() {
    TimeSource.system().schedule(this::beat, period);
  }

  private void beat() {
    int before = unused.get();
    boolean ends = before == LAST && unused.compareAndSet(LAST, STILL);
    if (!ends) {
      unused.compareAndSet(before, before + 1); // in vain if it was used meanwhile
      awaitNext();
      work.run();
    }
  }
}
