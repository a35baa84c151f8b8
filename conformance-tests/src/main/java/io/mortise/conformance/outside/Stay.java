package io.mortise.conformance.outside;

import java.util.List;

/**
 * One attempt to acquire, and the hold if it succeeded, as the log has them. Times are ns since the
 * start of the run. {@link #NEVER} stands for an event that did not happen.
 *
 * @param source the worker process
 * @param number the attempt's number there
 * @param resources the locks it acquires together, usually one
 * @param servers the servers of the locks
 * @param wants what it asks for
 * @param begin just before the attempt
 * @param entered just after the worker knew that it holds the lock
 * @param seen the last check that found the hold good
 * @param claimed until when the hold was promised to be exclusive, or 0
 * @param token the fencing token, or 0
 * @param leaving just before the release
 * @param freed just after the release
 * @param lost when the worker learned that its hold is over
 * @param refused when the worker learned that it does not get the lock
 * @param why the reason for that
 */
record Stay(
    String source,
    long number,
    List<String> resources,
    List<String> servers,
    Wants wants,
    long begin,
    long entered,
    long seen,
    long claimed,
    long token,
    long leaving,
    long freed,
    long lost,
    long refused,
    String why) {
  /**
   * What an attempt asks for.
   *
   * @param weight the share of the capacity: 1 for a reader, all for a writer
   * @param capacity of each of its resources
   * @param lease the longest time that the store keeps the lock without a renewal
   * @param fixed whether the lease is never renewed
   * @param replicated whether the hold counts only while all replicas of its master have it
   * @param must whether failing to acquire is a violation
   * @param limit the longest time to wait, {@link #NEVER} for none
   */
  record Wants(
      long weight,
      long capacity,
      long lease,
      boolean fixed,
      boolean replicated,
      boolean must,
      long limit) {
    static Wants of(LogLine wait) {
      return new Wants(
          wait.number("weight", 1),
          wait.number("capacity", 1),
          wait.number("lease"),
          wait.is("fixed"),
          wait.is("replicated"),
          wait.is("must"),
          wait.number("limit", NEVER));
    }
  }

  static final long NEVER = Long.MAX_VALUE;

  /** The grant window: how long the store keeps a grant for a waiter (ns). */
  static final long WINDOW = 3_000_000_000L;

  static final String WAIT = "wait";
  static final String IN = "in";
  static final String OK = "ok";
  static final String OUT = "out";
  static final String FREE = "free";
  static final String LOST = "lost";
  static final String NOT = "not";
  static final String FAILED = "failed";

  /** Reads the lines of one attempt, in their order. */
  static Stay of(List<LogLine> lines) {
    LogLine wait = lines.get(0);
    return new Stay(
        wait.source(),
        wait.number("stay"),
        List.of(wait.text("of").split(",", -1)),
        List.of(wait.text("on").split(",", -1)),
        Wants.of(wait),
        wait.at(),
        first(lines, IN),
        lines.stream()
            .filter(line -> line.verb().equals(OK))
            .mapToLong(LogLine::at)
            .max()
            .orElse(0),
        lines.stream().mapToLong(line -> line.number("until", 0)).max().orElse(0),
        lines.stream().mapToLong(line -> line.number("token", 0)).max().orElse(0),
        first(lines, OUT),
        first(lines, FREE),
        first(lines, LOST),
        first(lines, NOT),
        lines.get(lines.size() - 1).fields().getOrDefault("why", ""));
  }

  private static long first(List<LogLine> lines, String verb) {
    return lines.stream()
        .filter(line -> line.verb().equals(verb))
        .mapToLong(LogLine::at)
        .findFirst()
        .orElse(NEVER);
  }

  boolean isInside() {
    return entered != NEVER;
  }

  /** Whether the attempt or the release ended with an error of the store. */
  boolean isFailed() {
    return why.equals(FAILED);
  }

  /** Whether at least one check after the acquisition found the hold good. */
  boolean isConfirmed() {
    return isInside() && seen >= entered;
  }

  /**
   * Until when the hold was good for certain. A hold that is good at one moment was good at all
   * earlier moments. A hold that ended too early counts only until its last check.
   */
  long goodUntil() {
    long told = lost == NEVER ? Math.max(seen, claimed) : seen;
    return Math.min(Math.max(entered, told), leaving);
  }

  /** When the worker knew the outcome of the attempt. The process may have ended before. */
  long decided() {
    return Math.min(entered, refused);
  }

  @Override
  public String toString() {
    return source + '/' + number;
  }
}
