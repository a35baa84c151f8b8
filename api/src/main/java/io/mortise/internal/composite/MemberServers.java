package io.mortise.internal.composite;

import io.mortise.internal.engine.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.ServerFacts;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the servers of a Redlock's members fit each other. Each is asked when the Redlock is
 * first acquired. That acquisition waits for every server that answered it, as long as for a
 * member's lease. A server without any answer hinders no acquisition. It is asked again with later
 * ones. Thread-safe.
 */
final class MemberServers {
  private static final Logger log = LoggerFactory.getLogger(MemberServers.class);

  /** How much slower than the acquisition a server may be that did not answer it. */
  private static final Duration GRACE = Duration.ofMillis(50);

  /** The scheme, the place, and the database if it is a number. */
  private static final Pattern ENDPOINT = Pattern.compile("\\w+:(?://)?[^/]+(?:/(\\d+)?)?");

  private final String name;

  /** What servers have said, by the places of their members. */
  private final Map<String, ServerFacts> known = new ConcurrentHashMap<>();

  /** The last question to each server, by the places of their members. */
  private final Map<String, CompletableFuture<Void>> asking = new ConcurrentHashMap<>();

  /** The places of the members that answered an acquisition before the servers were compared. */
  private final Set<String> alive = ConcurrentHashMap.newKeySet();

  /** The places of the members without an answer in time. */
  private final Set<String> silent = ConcurrentHashMap.newKeySet();

  private final Set<String> warnings = ConcurrentHashMap.newKeySet();

  /** Ends when the servers have answered for the first time. Null before they were asked. */
  private final AtomicReference<@Nullable CompletableFuture<Void>> asked = new AtomicReference<>();

  private volatile boolean fit;

  /**
   * @param name of the Redlock
   */
  MemberServers(String name) {
    this.name = name;
  }

  /** Refuses members that are known to have one vote before any server was asked. */
  static void checkStores(String name, List<Member> members) {
    for (int i = 1; i < members.size(); i++) {
      for (Member other : members.subList(0, i)) {
        Member member = members.get(i);
        boolean same = member.store().endpoint().equals(other.store().endpoint());
        if (same && !isSingle(other)) {
          throw new IllegalArgumentException(shared(name, other, member));
        }
        if (same && isOneKey(other, member)) {
          throw new IllegalArgumentException(oneLock(name, other, member));
        }
      }
    }
  }

  private static String shared(String name, Member one, Member other) {
    return "Redlock '%s': the members %s and %s are in one cluster or sentinel set, which has one vote; give each member a server, a cluster or a set of its own (docs/locks/redlock.md#limits)"
        .formatted(name, one.place(), other.place());
  }

  /** One server refuses the second of them for ever, as if somebody else had the lock. */
  private static String oneLock(String name, Member one, Member other) {
    return "Redlock '%s': the members %s and %s are one lock on one server, so both are never held; give each member a server of its own, or use one plain lock (docs/locks/redlock.md#limits)"
        .formatted(name, one.place(), other.place());
  }

  /** Whether both are one lock, if they are on one server. */
  private static boolean isOneKey(Member one, Member other) {
    String database = database(one.store().endpoint());
    return one.key().equals(other.key())
        && database != null
        && database.equals(database(other.store().endpoint()));
  }

  /** The database that an endpoint names; null if it does not say. */
  private static @Nullable String database(String endpoint) {
    Matcher url = ENDPOINT.matcher(endpoint);
    return url.matches() ? Objects.requireNonNullElse(url.group(1), "0") : null;
  }

  /**
   * Notes whether a member's server answers an acquisition.
   *
   * @param answer that of the server
   */
  void heed(Member member, CompletableFuture<LeaseOutcome> answer) {
    CompletableFuture<?> unused =
        answer.whenComplete((outcome, failure) -> {
          if (failure instanceof TimeoutException) {
            silent.add(member.place());
          } else if (outcome != null && (outcome.lease() != null || outcome.heldBy() != null)) {
            silent.remove(member.place());
            alive.add(member.place());
          }
        });
  }

  /** Whether the member's server did not answer in time when it was asked last. */
  boolean isSilent(Member member) {
    return silent.contains(member.place());
  }

  /**
   * Asks the servers that have not answered yet. The future ends with an {@link
   * IllegalStateException} if the members do not fit each other.
   *
   * @param acquisition that of the Redlock
   */
  CompletableFuture<Void> check(QuorumMembers members, CompletableFuture<?> acquisition) {
    if (fit) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> answers =
        Futures.settled(
            members.all().stream()
                .filter(each -> !known.containsKey(each.place()))
                .map(this::ask)
                .toList());
    CompletableFuture<Void> first =
        asked.compareAndSet(null, answers) ? answers : Objects.requireNonNull(asked.get());
    if (!first.isDone()) {
      CompletableFuture<?> unused =
          acquisition.whenComplete((outcome, e) -> endInTime(first, members));
    }
    return first.thenRun(() -> compare(members));
  }

  private CompletableFuture<Void> ask(Member member) {
    CompletableFuture<Void> answer;
    try {
      answer = member.server().thenAccept(facts -> known.put(member.place(), facts));
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    asking.put(member.place(), answer);
    return answer;
  }

  /** An acquisition is over. It waits no longer than it would for a lease. */
  private void endInTime(CompletableFuture<Void> answers, QuorumMembers members) {
    Duration timeout = members.nodeTimeout();
    Duration longest = timeout.compareTo(GRACE) > 0 ? timeout : GRACE;
    members.time().schedule(() -> endWithTheLiving(answers), GRACE);
    members.time().schedule(() -> answers.complete(null), longest);
  }

  private void endWithTheLiving(CompletableFuture<Void> answers) {
    List<CompletableFuture<Void>> living =
        asking.entrySet().stream()
            .filter(each -> alive.contains(each.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    CompletableFuture<Void> unused = Futures.settled(living).thenRun(() -> answers.complete(null));
  }

  private void compare(QuorumMembers members) {
    List<Member> all =
        members.all().stream().filter(each -> known.containsKey(each.place())).toList();
    for (int i = 0; i < all.size(); i++) {
      for (Member other : all.subList(0, i)) {
        refuseIfShared(other, all.get(i));
      }
    }
    warnOfShared(all);
    all.forEach(this::warnOfEviction);
    if (members.voters() == null) {
      warnOfReplicas(all);
    }
    fit = all.size() == members.all().size();
  }

  /** What the server of a member has said that is known. */
  private ServerFacts facts(Member member) {
    return Objects.requireNonNull(known.get(member.place()));
  }

  private void refuseIfShared(Member one, Member other) {
    if (facts(one).isOneWith(facts(other))) {
      if (!isSingle(one) || !isSingle(other)) {
        throw new IllegalStateException(shared(name, one, other));
      }
      if (isOneKey(one, other)) {
        throw new IllegalStateException(oneLock(name, one, other));
      }
    }
  }

  private void warnOfShared(List<Member> members) {
    members.stream()
        .filter(each -> isSingle(each) && !facts(each).process().isEmpty())
        .collect(
            Collectors.groupingBy(
                each -> facts(each).process(),
                Collectors.mapping(Member::place, Collectors.toList())))
        .values()
        .stream()
        .filter(places -> places.size() > 1)
        .forEach(places ->
            warn(
                "%d members are kept by one server and fail together: %s; give each a server of its own"
                    .formatted(places.size(), places)));
  }

  private static boolean isSingle(Member member) {
    return member.store().topology() == Topology.SINGLE;
  }

  private void warnOfEviction(Member member) {
    ServerFacts facts = facts(member);
    if (facts.evicts()) {
      warn(
          "the server of member %s may evict it, and then gives it twice: its maxmemory-policy is %s; set noeviction"
              .formatted(member.place(), facts.policy()));
    }
  }

  private void warnOfReplicas(List<Member> members) {
    List<String> places =
        members.stream()
            .filter(each -> !isSingle(each) || facts(each).replicas() > 0)
            .map(Member::place)
            .toList();
    if (!places.isEmpty()) {
      warn(
          "replicas may take over from %s, and then give a vote twice; call withQuarantine, or use single servers without replicas (docs/locks/redlock.md#limits)"
              .formatted(places));
    }
  }

  private void warn(String what) {
    if (warnings.add(what)) {
      log.warn("Redlock '{}': {}", name, what);
    }
  }
}
