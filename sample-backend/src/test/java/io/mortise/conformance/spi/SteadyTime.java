package io.mortise.conformance.spi;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A time whose wall clock stands still while the machine is suspended. */
final class SteadyTime implements TimeSource {
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
    return TimeSource.system().schedule(task, delay);
  }
}
