package io.mortise.cli;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The work of one process, or of all, in a run.
 *
 * @param increments increments of the counter
 * @param commands commands sent to the store
 * @param acquired how often a thread got the lock
 * @param handedOver how often a thread got it by a hand-off in its process
 * @param failed how often the store could not be reached for the lock
 * @param lost how often a lock was lost while it was held
 * @param pause the longest time between two increments under the lock (ms)
 */
record Tally(
    long increments,
    long commands,
    long acquired,
    long handedOver,
    long failed,
    long lost,
    long pause) {
  static final Tally NONE = new Tally(0, 0, 0, 0, 0, 0, 0);

  static Tally sum(List<Tally> parts) {
    return parts.stream().reduce(NONE, Tally::plus);
  }

  private Tally plus(Tally other) {
    return new Tally(
        increments + other.increments,
        commands + other.commands,
        acquired + other.acquired,
        handedOver + other.handedOver,
        failed + other.failed,
        lost + other.lost,
        Math.max(pause, other.pause));
  }

  /** Its numbers, as {@link #parse} reads them. */
  String text() {
    return LongStream.of(increments, commands, acquired, handedOver, failed, lost, pause)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(" "));
  }

  static Tally parse(String text) {
    long[] numbers = Stream.of(text.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    return new Tally(
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
  }
}
