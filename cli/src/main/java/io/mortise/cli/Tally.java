package io.mortise.cli;

import java.util.List;

/**
 * The work of one process, or of all, in a run.
 *
 * @param increments increments of the counter
 * @param commands commands sent to the store
 * @param acquired how often a thread got the lock
 * @param handedOver how often a thread got it by a hand-off in its process
 */
record Tally(long increments, long commands, long acquired, long handedOver) {
  static final Tally NONE = new Tally(0, 0, 0, 0);

  static Tally sum(List<Tally> parts) {
    return parts.stream().reduce(NONE, Tally::plus);
  }

  private Tally plus(Tally other) {
    return new Tally(
        increments + other.increments,
        commands + other.commands,
        acquired + other.acquired,
        handedOver + other.handedOver);
  }

  /** The four numbers, as {@link #parse} reads them. */
  String text() {
    return increments + " " + commands + " " + acquired + " " + handedOver;
  }

  static Tally parse(String text) {
    String[] words = text.split(" ", -1);
    return new Tally(
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]));
  }
}
