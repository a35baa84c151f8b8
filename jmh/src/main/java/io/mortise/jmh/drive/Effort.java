package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.net.URI;
import java.time.Duration;

/**
 * How long to look, and where.
 *
 * @param server the Redis that all contestants share
 * @param rounds how often every cell is measured at most, in turn with all others
 * @param warmUp at least, before each measurement in a new JVM; it goes on until the speed stands
 *     still
 * @param measure each measurement
 * @param quick whether to leave out what is not needed for a first impression
 */
public record Effort(URI server, int rounds, Duration warmUp, Duration measure, boolean quick) {
  /**
   * For the page: an hour and more.
   *
   * @param server a Redis
   * @param rounds how often every cell is measured at most
   * @return so many rounds
   */
  public static Effort full(URI server, int rounds) {
    return new Effort(server, rounds, Duration.ofSeconds(3), Duration.ofSeconds(5), false);
  }

  /**
   * For a first impression, in six minutes.
   *
   * @param server a Redis
   * @return one short round
   */
  public static Effort quick(URI server) {
    return new Effort(server, 1, Duration.ofSeconds(2), Duration.ofSeconds(1), true);
  }

  /**
   * The same on one processor, which the JVM's compilers share with what is measured.
   *
   * @return with a longer warm-up
   */
  public Effort pinned() {
    return new Effort(server, rounds, warmUp.plusSeconds(3), measure, quick);
  }

  /** How long a contestant's warm-up takes at least. */
  Duration warmUp(Contestant contestant) {
    Duration slow = contestant.slowStart();
    return slow.compareTo(warmUp) > 0 ? slow : warmUp;
  }
}
