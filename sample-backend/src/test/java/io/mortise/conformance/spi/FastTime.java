package io.mortise.conformance.spi;

import io.mortise.spi.ForwardingTime;
import io.mortise.spi.TimeSource;
import java.time.Duration;

/** A clock at twice the speed. */
final class FastTime extends ForwardingTime {
  private final TimeSource system = TimeSource.system();
  private static final long START = System.nanoTime();

  @Override
  protected TimeSource target() {
    return system;
  }

  @Override
  public long nanoTime() {
    return START + 2 * (system.nanoTime() - START);
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    system.parkNanos(blocker, nanos / 2);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return system.schedule(task, delay.dividedBy(2));
  }
}
