package io.mortise.internal.composite;

import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.ServerFacts;
import io.mortise.spi.Topology;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the servers of a Redlock's members fit each other. Each is asked when the Redlock is
 * made, and what it says is compared when it comes. No acquisition waits for that. Once members are
 * known not to fit, every acquisition is refused, also one that waits: at its next round. A server
 * that has not answered is asked again by later acquisitions. Thread-safe.
 */
final class MemberServers {
  private static final Logger log = LoggerFactory.getLogger(MemberServers.class);

  /** The scheme, the place, and the database if it is a number. */
  private static final Pattern ENDPOINT = Pattern.compile("\\w+:(?://)?[^/]+(?:/(\\d+)?)?");

  private final String name;
  private final List<Member> all;

  /** What servers have said, by the places of their members. */
  private final Map<String, ServerFacts> known = new ConcurrentHashMap<>();

  /** The places of the members whose servers are being asked. */
  private final Set<String> asking = ConcurrentHashMap.newKeySet();

  /** The places of the members without an answer in time. */
  private final Set<String> silent = ConcurrentHashMap.newKeySet();

  private final Set<String> warnings = ConcurrentHashMap.newKeySet();

  /** Whether the last acquisition was without quarantine. Written before {@link #acquired}. */
  private volatile boolean unguarded;

  /** Whether there was an acquisition. */
  private volatile boolean acquired;

  /** Why the members do not fit. Null if that is not known. */
  private volatile @Nullable String refusal;

  /** Whether every server has answered, and everything was said of the answers. */
  private volatile boolean complete;

  /**
   * @param name of the Redlock
   * @param all its members
   */
  MemberServers(String name, List<Member> all) {
    this.name = name;
    this.all = all;
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
          }
        });
  }

  /** Whether the member's server did not answer in time when it was asked last. */
  boolean isSilent(Member member) {
    return silent.contains(member.place());
  }

  /**
   * An acquisition of these members begins.
   *
   * @param quarantine whether servers that may have lost data give it no vote
   */
  void acquiring(boolean quarantine) {
    if (!complete) {
      unguarded = !quarantine;
      acquired = true;
      ask();
      compare();
    }
  }

  /** Refuses an acquisition if the members are known not to fit. Returns whether it is refused. */
  boolean refuses(CompletableFuture<?> acquisition) {
    String why = refusal;
    return why != null && acquisition.completeExceptionally(new IllegalStateException(why));
  }

  /** Asks the servers that have not answered, and waits for none. */
  void ask() {
    for (Member each : all) {
      if (!known.containsKey(each.place()) && asking.add(each.place())) {
        CompletableFuture<?> unused =
            answer(each).whenComplete((facts, failure) -> answered(each, facts));
      }
    }
  }

  private static CompletableFuture<ServerFacts> answer(Member member) {
    try {
      return member.server();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answered(Member member, @Nullable ServerFacts facts) {
    if (facts != null) {
      known.put(member.place(), facts);
      compare();
    }
    asking.remove(member.place());
  }

  private void compare() {
    List<Member> heard = all.stream().filter(each -> known.containsKey(each.place())).toList();
    for (int i = 0; i < heard.size(); i++) {
      for (Member other : heard.subList(0, i)) {
        refuseIfShared(other, heard.get(i));
      }
    }
    warnOfShared(heard);
    heard.forEach(this::warnOfEviction);
    boolean last = acquired;
    if (last && unguarded) {
      warnOfReplicas(heard);
    }
    complete = last && heard.size() == all.size();
  }

  /** What the server of a member has said that is known. */
  private ServerFacts facts(Member member) {
    return Objects.requireNonNull(known.get(member.place()));
  }

  private void refuseIfShared(Member one, Member other) {
    if (facts(one).isOneWith(facts(other))) {
      if (!isSingle(one) || !isSingle(other)) {
        refuse(shared(name, one, other));
      } else if (isOneKey(one, other)) {
        refuse(oneLock(name, one, other));
      }
    }
  }

  /** From now on. It is logged too, for an acquisition that was made before. */
  private void refuse(String why) {
    refusal = why;
    if (warnings.add(why)) {
      log.warn("{}", why);
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
