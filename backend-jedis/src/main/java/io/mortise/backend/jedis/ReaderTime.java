package io.mortise.backend.jedis;

import io.mortise.backend.support.Threads;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.TimeSource;

/**
 * System time that parks no thread that reads the replies of a far server. A callback that runs in
 * place on such a thread would wait for a reply that nobody else reads. Thread-safe.
 */
final class ReaderTime extends ForwardingTime {
  /** The name of the threads that are refused. */
  static final String READER = "mortise-jedis-far-reader";

  static final ReaderTime INSTANCE = new ReaderTime();

  private ReaderTime() {}

  @Override
  protected TimeSource target() {
    return TimeSource.system();
  }

  @Override
  public void checkMayPark() {
    if (Threads.isIn(READER)) {
      throw new IllegalStateException(
          "the thread %s must not wait here: it receives the replies of a far server; use async(), a method whose name ends in Async, or another thread"
              .formatted(READER));
    }
  }
}
