package io.mortise.jmh.drive;

import java.net.URI;
import java.time.Duration;

/**
 * How long to look, and where.
 *
 * @param server the Redis that all contestants share
 * @param rounds how often every cell is measured at most, in turn with all others
 * @param warmUp before each measurement, in a new JVM
 * @param measure each measurement
 * @param quick whether to leave out what is not needed for a first impression
 */
public record Effort(URI server, int rounds, Duration warmUp, Duration measure, boolean quick) {
  /**
   * For the page: half an hour.
   *
   * @param server a Redis
   * @return three rounds
   */
  public static Effort full(URI server) {
    return new Effort(server, 3, Duration.ofMillis(1_500), Duration.ofMillis(1_500), false);
  }

  /**
   * For a first impression, in three minutes.
   *
   * @param server a Redis
   * @return one short round
   */
  public static Effort quick(URI server) {
    return new Effort(server, 1, Duration.ofMillis(800), Duration.ofMillis(400), true);
  }

  /**
   * The same on one processor, which the JVM's compilers share with what is measured.
   *
   * @return with a longer warm-up
   */
  public Effort pinned() {
    return new Effort(server, rounds, warmUp.plusSeconds(3), measure, quick);
  }
}
