package io.mortise.spi;

import java.time.Duration;

/**
 * A time that forwards every call to another one. A wrapper extends it, so that it cannot leave out
 * a method that has a default. As thread-safe as the other time.
 */
public abstract class ForwardingTime implements TimeSource {
  /** For the subclass. */
  protected ForwardingTime() {}

  /**
   * The time that gets the calls.
   *
   * @return always a view of the same time
   */
  protected abstract TimeSource target();

  @Override
  public long nanoTime() {
    return target().nanoTime();
  }

  @Override
  public long currentTimeMillis() {
    return target().currentTimeMillis();
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    target().parkNanos(blocker, nanos);
  }

  @Override
  public void checkMayPark() {
    target().checkMayPark();
  }

  @Override
  public void unpark(Thread thread) {
    target().unpark(thread);
  }

  @Override
  public Timer schedule(Runnable task, Duration delay) {
    return target().schedule(task, delay);
  }
}
