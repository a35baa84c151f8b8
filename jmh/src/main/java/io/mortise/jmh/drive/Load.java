package io.mortise.jmh.drive;

import java.util.List;

/**
 * The load of several processes on locks.
 *
 * @param kind the kind of locks
 * @param processes the number of processes
 * @param threads the number of threads in each process
 * @param names the number of lock names; a thread chooses one for each pair
 * @param work microseconds of work under the lock
 */
public record Load(Kind kind, int processes, int threads, int names, int work) {
  /** The kind of locks. */
  public enum Kind {
    /** Plain locks that all threads share. */
    PLAIN,
    /** Fair locks that all threads share. */
    FAIR,
    /** A lock for each thread, whatever the names. */
    OWN
  }

  /**
   * A load on one name, without work.
   *
   * @param kind the kind of lock
   * @param processes the number of processes
   * @param threads the number of threads in each process
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

  /** The load as an argument of a command line; {@link #parse} reads it. */
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
