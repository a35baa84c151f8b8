package io.mortise.internal.concurrent;

import java.time.Duration;

/** Pauses between attempts that fail: each is twice as long. Used by one thread at a time. */
public final class Backoff {
  private final long first;
  private final long longest;
  private long next;

  /** Begins with the first pause, and goes up to the longest one. */
  public Backoff(Duration first, Duration longest) {
    this.first = first.toNanos();
    this.longest = longest.toNanos();
    next = this.first;
  }

  /** The pause now (ns). */
  public long next() {
    long now = next;
    next = Math.min(2 * now, longest);
    return now;
  }

  /** An attempt has succeeded: the next pause is the shortest again. */
  public void reset() {
    next = first;
  }
}
