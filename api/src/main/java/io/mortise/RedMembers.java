package io.mortise;

import io.mortise.engine.Member;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;

/**
 * The members of a red lock, and the numbers that follow from them.
 *
 * @param name of the whole
 * @param all in an order that all processes share, if they name the endpoints alike
 * @param nodeTimeout how long one member may take to answer
 */
record RedMembers(String name, List<Member> all, Duration nodeTimeout) {
  /** How much faster than ours a server's clock may run: one part in a hundred. */
  private static final int DRIFT = 100;

  /** On top of the millisecond that every lease of a member is short of. */
  private static final Duration TICK = Duration.ofMillis(1);

  int quorum() {
    return all.size() / 2 + 1;
  }

  /** The shortest lease of a member. */
  Duration lease() {
    return all.stream().map(Member::lease).min(Duration::compareTo).orElseThrow();
  }

  boolean isRenewed() {
    return all.stream().allMatch(Member::isRenewed);
  }

  /**
   * By how much the whole ends before its members do: 1 % of the longest lease, and 2 ms in all.
   */
  Duration margin() {
    Duration longest = all.stream().map(Member::lease).max(Duration::compareTo).orElseThrow();
    return longest.dividedBy(DRIFT).plus(TICK);
  }

  TimeSource time() {
    return all.get(0).time();
  }

  void execute(Runnable task) {
    all.get(0).executor().execute(task);
  }
}
