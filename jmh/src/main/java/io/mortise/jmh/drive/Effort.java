package io.mortise.jmh.drive;

import java.net.URI;
import java.time.Duration;

/**
 * How long to look, and where.
 *
 * @param server the Redis that all contestants share
 * @param rounds how often every cell is measured, in turn with all others
 * @param warmUp before each measurement, in a new JVM
 * @param measure each measurement
 * @param quick whether questions leave out what is not needed for a first impression
 */
public record Effort(URI server, int rounds, Duration warmUp, Duration measure, boolean quick) {
  /**
   * For the page: the better part of an hour.
   *
   * @param server a Redis
   * @return five rounds
   */
  public static Effort full(URI server) {
    return new Effort(server, 5, Duration.ofSeconds(2), Duration.ofSeconds(3), false);
  }

  /**
   * For a first impression, in three minutes.
   *
   * @param server a Redis
   * @return two short rounds
   */
  public static Effort quick(URI server) {
    return new Effort(server, 2, Duration.ofMillis(1_200), Duration.ofMillis(500), true);
  }
}
