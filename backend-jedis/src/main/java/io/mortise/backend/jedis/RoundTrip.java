package io.mortise.backend.jedis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a round trip to the server takes. The value falls at once and rises slowly, because a
 * single late reply says little about the distance. Thread-safe: an update that is lost costs
 * precision and nothing else.
 */
final class RoundTrip {
  /** The part of a call's time above which a server is far. */
  private static final int FAR = 20;

  private static final int SLOWNESS = 8;

  private volatile long nanos;

  /** Takes the first value, of a connection that does nothing else. */
  void begin(long measured) {
    nanos = measured;
  }

  /** Notes that a reply, or the lack of one, took so long. */
  void took(long measured) {
    long before = nanos;
    nanos = measured < before ? measured : before + (measured - before) / SLOWNESS;
  }

  /**
   * Whether a few round trips would use up the time of a call. A change of threads costs nothing in
   * comparison.
   */
  boolean isFar(Duration timeout) {
    return nanos > timeout.toNanos() / FAR;
  }

  long millis() {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
