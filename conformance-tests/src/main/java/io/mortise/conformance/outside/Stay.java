package io.mortise.conformance.outside;

import java.util.List;

/**
 * One attempt to enter, and the stay inside if it succeeded, as its log tells them. Times are ns
 * since the start of the run, {@link #NEVER} for what did not happen.
 *
 * @param source whose: one life of a worker
 * @param number the attempt's number there
 * @param resources the locks it takes together, mostly one
 * @param servers those the locks are kept on
 * @param weight what it takes of the capacity: a reader 1, a writer all
 * @param capacity of each of its resources
 * @param lease how long the store keeps it at the most without hearing from it
 * @param fixed whether that lease is never renewed
 * @param startsOnGrant whether it may begin before the store has confirmed it
 * @param must whether it is a violation not to enter
 * @param limit the longest time to wait, {@link #NEVER} if there is none
 * @param begin just before it asked
 * @param entered just after it was told that it is inside
 * @param seen the last moment at which it was still told that its hold is good
 * @param claimed until when it was told that nobody else can enter, or 0
 * @param token its fencing token, or 0
 * @param leaving just before it gave back
 * @param freed just after it had given back
 * @param lost when it learnt that its hold is over
 * @param refused when it learnt that it does not enter
 * @param why the reason of that
 */
record Stay(
    String source,
    long number,
    List<String> resources,
    List<String> servers,
    long weight,
    long capacity,
    long lease,
    boolean fixed,
    boolean startsOnGrant,
    boolean must,
    long limit,
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
  static final long NEVER = Long.MAX_VALUE;

  /** The grant window: how long the store keeps a lock for a waiter that it has told (ns). */
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
        wait.number("weight", 1),
        wait.number("capacity", 1),
        wait.number("lease"),
        wait.is("fixed"),
        wait.is("starts-on-grant"),
        wait.is("must"),
        wait.number("limit", NEVER),
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

  /** Whether the attempt, or giving back, ended with an error of the store. */
  boolean isFailed() {
    return why.equals(FAILED);
  }

  /** Whether it was told at least once after entering that its hold is good. */
  boolean isConfirmed() {
    return isInside() && seen >= entered;
  }

  /**
   * Until when its hold was good for certain. A hold that was good at one moment was good at all
   * moments before; one that ended too early does not count beyond the last look at it.
   */
  long goodUntil() {
    long told = lost == NEVER ? Math.max(seen, claimed) : seen;
    return Math.min(Math.max(entered, told), leaving);
  }

  /** When it knew the outcome of the attempt; the process may have ended before. */
  long decided() {
    return Math.min(entered, refused);
  }

  @Override
  public String toString() {
    return source + '/' + number;
  }
}
