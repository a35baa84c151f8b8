package io.mortise.internal.wire;

import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The servers of a Redlock in quarantine, and their longest lease. A server votes for one set only,
 * so processes that state different sets refuse each other.
 *
 * @param text the set as the servers keep it, and as people read it
 * @param longestLease no lease of the set is longer
 */
public record VotingSet(String text, Duration longestLease) {
  private static final Duration TICKS = Duration.ofMillis(2);

  /** The set of these voters, in any order. */
  public static VotingSet of(Collection<String> voters, Duration longestLease) {
    String text =
        voters.size()
            + " members, longest lease "
            + longestLease.toMillis()
            + " ms: "
            + voters.stream().sorted().collect(Collectors.joining(", "));
    return new VotingSet(text, longestLease);
  }

  /**
   * How long a server that may have lost data gives no vote: the longest lease by a clock that runs
   * 1 % too fast, and the time of one command that may still have been answered elsewhere.
   */
  public Duration quarantine(Duration commandTimeout) {
    return longestLease.plus(longestLease.dividedBy(100)).plus(TICKS).plus(commandTimeout);
  }
}
