package io.mortise.backend.support;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The silence of a peer, counted in ticks of a {@link ActivityTimer}. Any received data ends the
 * silence, because the reply to a PING may be behind many other replies. Ticks in place of time
 * protect a link whose own process was paused. Thread-safe.
 */
public final class Silence {
  private static final int LONGEST = 3;

  private final AtomicInteger beats = new AtomicInteger();

  /** Creates a counter for a peer from which data has just arrived. */
  public Silence() {}

  /** Notes that data has arrived. */
  public void end() {
    if (beats.get() != 0) {
      beats.set(0);
    }
  }

  /**
   * Counts one tick.
   *
   * @return whether no data has arrived during the three ticks before this one
   */
  public boolean beat() {
    return beats.getAndIncrement() >= LONGEST;
  }
}
