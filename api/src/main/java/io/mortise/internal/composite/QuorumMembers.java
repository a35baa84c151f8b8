package io.mortise.internal.composite;

import io.mortise.LeasedLock;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.MemberHandle;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  private static final Logger log = LoggerFactory.getLogger(QuorumMembers.class);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(50);
  private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(1);
  private static final int TIMEOUTS_PER_LEASE = 20;

  /** The members of a new Redlock, whose servers are asked from now on. */
  static QuorumMembers of(LeasedLock... locks) {
    List<Member> all =
        Stream.of(locks)
            .map(QuorumMembers::member)
            .sorted(Comparator.comparing(Member::place))
            .toList();
    if (all.isEmpty()) {
      throw new IllegalArgumentException("a Redlock of no locks; give it three or more");
    }
    Member.refuseTwice(all, "Redlock");
    String name = all.stream().map(Member::name).distinct().collect(Collectors.joining(", "));
    warnOfSize(name, all.size());
    MemberServers.checkStores(name, all);
    MemberServers servers = new MemberServers(name, all);
    servers.ask();
    return new QuorumMembers(name, all, timeout(all), null, servers);
  }

  private static Member member(LeasedLock lock) {
    return MemberHandle.of(
        Objects.requireNonNull(lock, "a member of the Redlock"),
        "a member of a Redlock comes from a LockService");
  }

  private static void warnOfSize(String name, int size) {
    if (size < 3 || size % 2 == 0) {
      log.warn(
          "Redlock '{}' has {} members, of which {} must be held: it survives the loss of {}, as many as one of {} members; use an odd number, three or more",
          name,
          size,
          size / 2 + 1,
          (size - 1) / 2,
          size - 1);
    }
  }

  /** The standard member timeout: a twentieth of the shortest lease, between 50 ms and 1 s. */
  private static Duration timeout(List<Member> all) {
    Duration part = shortestLease(all).dividedBy(TIMEOUTS_PER_LEASE);
    Duration bounded = part.compareTo(LONGEST_TIMEOUT) < 0 ? part : LONGEST_TIMEOUT;
    return bounded.compareTo(SHORTEST_TIMEOUT) > 0 ? bounded : SHORTEST_TIMEOUT;
  }

  private static Duration shortestLease(List<Member> all) {
    return all.stream().map(Member::lease).min(Duration::compareTo).orElseThrow();
  }

  // With other options

  QuorumMembers answeringWithin(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(lease().dividedBy(3)) > 0) {
      throw new IllegalArgumentException(
          "member timeout %s is out of range: more than zero, at most a third of the lease of %s"
              .formatted(timeout, lease()));
    }
    return new QuorumMembers(name, all, timeout, voters, servers);
  }

  QuorumMembers inQuarantine(Duration longestLease) {
    Duration longest = Duration.ofNanos(LeaseTerms.fixed(longestLease).nanos());
    all.forEach(this::checkHasMarker);
    VotingSet set = VotingSet.of(all.stream().map(Member::voter).toList(), longest);
    return new QuorumMembers(name, all, nodeTimeout, set, servers);
  }

  private void checkHasMarker(Member member) {
    if (member.store().topology() == Topology.CLUSTER) {
      throw new IllegalArgumentException(
          "Redlock '%s' cannot have a quarantine: the member %s is in a cluster, where a lock and the marker of its server have different hash slots; use single servers or sentinel sets as members (docs/locks/redlock.md#survive-restarts-without-data)"
              .formatted(name, member.place()));
    }
  }

  QuorumMembers leasing(LeaseTerms other) {
    List<Member> leasing = all.stream().map(each -> each.with(other)).toList();
    return new QuorumMembers(name, leasing, timeoutFor(leasing), voters, servers);
  }

  /** The standard timeout, or the chosen one if it is not too long for the new lease. */
  private Duration timeoutFor(List<Member> leasing) {
    if (nodeTimeout.equals(timeout(all))) {
      return timeout(leasing);
    }
    Duration longest = shortestLease(leasing).dividedBy(3);
    return nodeTimeout.compareTo(longest) < 0 ? nodeTimeout : longest;
  }

  // What all of them have

  /** The set of members that this is about, in a text without order. */
  String places() {
    return all.stream().map(Member::place).sorted().collect(Collectors.joining("|"));
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

  /** The failure of a member that does not answer within the member timeout. */
  TimeoutException tooSlow() {
    return new TimeoutException("no answer within " + nodeTimeout.toMillis() + " ms");
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
    return shortestLease(all);
  }

  /** Throws if the service of a member is closed: all must be open to acquire. */
  void checkOpen() {
    all.forEach(Member::checkOpen);
  }

  boolean isRenewed() {
    return all.stream().allMatch(Member::isRenewed);
  }

  TimeSource time() {
    return MemberTime.of(all);
  }

  void execute(Runnable task) {
    all.get(0).executor().execute(task);
  }
}
