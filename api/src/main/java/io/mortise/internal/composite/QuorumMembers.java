package io.mortise.internal.composite;

import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The members of a Redlock, and the numbers that follow from them.
 *
 * @param name of the whole
 * @param all in an order that all processes share, if they use the same names for the endpoints
 * @param nodeTimeout how long one member may take to answer
 * @param voters the set that the members' servers vote for; null without quarantine
 * @param servers what is known of the members' servers
 */
record QuorumMembers(
    String name,
    List<Member> all,
    Duration nodeTimeout,
    @Nullable VotingSet voters,
    MemberServers servers) {
  QuorumMembers {
    if (voters != null) {
      checkLease(all.stream().map(Member::lease).max(Duration::compareTo).orElseThrow(), voters);
    }
  }

  /** Refuses a lease that would outlive the quarantine of a server. */
  void checkLease(Duration lease) {
    if (voters != null) {
      checkLease(lease, voters);
    }
  }

  private static void checkLease(Duration lease, VotingSet voters) {
    Duration longest = voters.longestLease();
    if (lease.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "a lease of %s is longer than %s, the longest of this Redlock: a server in quarantine waits no longer; ask for less, or give withQuarantine more in all processes"
              .formatted(lease, longest));
    }
  }

  /** Asks a member for its vote, as {@link Member#request}. */
  void ask(Member member, long wait, CompletableFuture<LeaseOutcome> result) {
    servers.heed(member, result);
    if (voters == null) {
      member.request(wait, result);
    } else {
      member.vote(voters, wait, result);
    }
  }

  int quorum() {
    return all.size() / 2 + 1;
  }

  /** How many members may fail, or have another holder, while the others are a majority. */
  int spare() {
    return all.size() - quorum();
  }

  /** The shortest lease of a member. */
  Duration lease() {
    return all.stream().map(Member::lease).min(Duration::compareTo).orElseThrow();
  }

  /** Throws if the service of a member is closed: all must be open to acquire. */
  void checkOpen() {
    all.forEach(Member::checkOpen);
  }

  boolean isRenewed() {
    return all.stream().allMatch(Member::isRenewed);
  }

  TimeSource time() {
    return new MemberTime(all);
  }

  void execute(Runnable task) {
    all.get(0).executor().execute(task);
  }
}
