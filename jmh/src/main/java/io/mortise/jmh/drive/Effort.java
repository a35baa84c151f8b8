package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.net.URI;
import java.time.Duration;

/**
 * How long to measure, and on which server.
 *
 * @param server the Redis server that all contestants share
 * @param rounds the largest number of measurements of a cell, in turn with all others
 * @param warmUp the shortest warm-up in a new JVM; it goes on until the speed is steady
 * @param measure the length of each measurement
 * @param quick whether to leave out the less important cells
 */
public record Effort(URI server, int rounds, Duration warmUp, Duration measure, boolean quick) {
  /**
   * The effort for the page: an hour and more.
   *
   * @param server the URI of a Redis server
   * @param rounds the largest number of measurements of a cell
   * @return an effort of that many rounds
   */
  public static Effort full(URI server, int rounds) {
    return new Effort(server, rounds, Duration.ofSeconds(3), Duration.ofSeconds(5), false);
  }

  /**
   * The effort for a first impression: eleven minutes.
   *
   * @param server the URI of a Redis server
   * @return an effort of one short round
   */
  public static Effort quick(URI server) {
    return new Effort(server, 1, Duration.ofSeconds(2), Duration.ofSeconds(1), true);
  }

  /**
   * The same effort on another server.
   *
   * @param other its URI
   * @return an effort for that server
   */
  public Effort on(URI other) {
    return new Effort(other, rounds, warmUp, measure, quick);
  }

  /**
   * The same effort on one processor, which the measured code shares with the JVM's compilers.
   *
   * @return an effort with a longer warm-up
   */
  public Effort pinned() {
    return new Effort(server, rounds, warmUp.plusSeconds(3), measure, quick);
  }

  /**
   * The same effort for several processes. They make so few pairs in a second that their compilers
   * need longer, and a short plateau looks steady.
   *
   * @return an effort in which every contestant has the warm-up of those that start slowly
   */
  public Effort ofProcesses() {
    return quick ? this : new Effort(server, rounds, Contestant.SLOW_START, measure, false);
  }

  /** The shortest warm-up of a contestant. */
  Duration warmUp(Contestant contestant) {
    Duration slow = contestant.slowStart();
    return slow.compareTo(warmUp) > 0 ? slow : warmUp;
  }
}
