package io.mortise.backend.support;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long a peer has said nothing, in beats of a {@link Pulse}. Everything heard ends the silence:
 * the answer to a PING may stand behind many other replies. Counting beats instead of time spares a
 * link whose own process stood still. Thread-safe.
 */
public final class Silence {
  private static final int LONGEST = 3;

  private final AtomicInteger beats = new AtomicInteger();

  /** The peer was heard a moment ago. */
  public Silence() {}

  /** The peer was heard. */
  public void end() {
    if (beats.get() != 0) {
      beats.set(0);
    }
  }

  /**
   * One beat more.
   *
   * @return whether nothing was heard for three beats before this one
   */
  public boolean beat() {
    return beats.getAndIncrement() >= LONGEST;
  }
}
