package io.mortise.jmh.drive;

import java.util.List;

/**
 * What several processes do to locks.
 *
 * @param kind which locks
 * @param processes how many
 * @param threads of each process
 * @param names how many there are; for each pair a thread chooses one
 * @param work microseconds inside the lock
 */
public record Load(Kind kind, int processes, int threads, int names, int work) {
  /** Which locks. */
  public enum Kind {
    /** Those that all share. */
    PLAIN,
    /** Those that all share, first come, first served. */
    FAIR,
    /** One for each thread, whatever the names. */
    OWN
  }

  /**
   * One name, and no work.
   *
   * @param kind which lock
   * @param processes how many
   * @param threads of each process
   */
  public Load(Kind kind, int processes, int threads) {
    this(kind, processes, threads, 1, 0);
  }

  Load with(String setting, int value) {
    return switch (setting) {
      case "JVMs" -> new Load(kind, value, threads, names, work);
      case "threads" -> new Load(kind, processes, value, names, work);
      case "names" -> new Load(kind, processes, threads, value, work);
      case "work" -> new Load(kind, processes, threads, names, value);
      default -> throw new IllegalArgumentException(setting);
    };
  }

  /** For a command line; {@link #parse} reads it. */
  String text() {
    return kind + "," + processes + ',' + threads + ',' + names + ',' + work;
  }

  static Load parse(String text) {
    List<String> words = List.of(text.split(",", 5));
    List<Integer> numbers = words.subList(1, 5).stream().map(Integer::valueOf).toList();
    return new Load(
        Kind.valueOf(words.get(0)), numbers.get(0), numbers.get(1), numbers.get(2), numbers.get(3));
  }
}
