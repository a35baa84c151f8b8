package io.mortise.internal.engine;

import java.time.Duration;

/**
 * How long to wait after a failed command: twice as long after each. Used under its owner's lock.
 */
public final class Backoff {
  private static final long FIRST = Duration.ofMillis(50).toNanos();
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();

  private long next = FIRST;

  /** The time to wait now (ns). The next one is twice as long. */
  public long next() {
    long now = next;
    next = Math.min(2 * now, LONGEST);
    return now;
  }

  /** The store has answered: the next wait is the shortest again. */
  void reset() {
    next = FIRST;
  }
}
