package io.mortise.internal.engine;

import io.mortise.spi.Topology;
import java.time.Duration;

/**
 * How long to wait after a failed command: twice as long after each. Used under its owner's lock.
 *
 * <p>The longest wait decides how soon a waiter notices that the store is back. A single server
 * that is down comes back after a restart, and nobody knows when. Where a replica takes over, that
 * takes seconds, so waiters look more often: each sends five commands a second, most of which fail
 * without reaching a server.
 */
public final class Backoff {
  private static final long FIRST = Duration.ofMillis(50).toNanos();
  private static final long LONGEST = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_FOR_FAILOVER = Duration.ofMillis(200).toNanos();

  private final long longest;
  private long next = FIRST;

  /** Waits as it fits a store of this form. */
  Backoff(Topology topology) {
    longest = topology == Topology.SINGLE ? LONGEST : LONGEST_FOR_FAILOVER;
  }

  /** The time to wait now (ns). The next one is twice as long. */
  public long next() {
    long now = next;
    next = Math.min(2 * now, longest);
    return now;
  }

  /** The store has answered: the next wait is the shortest again. */
  void reset() {
    next = FIRST;
  }
}
