package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.ServerFacts;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the members' servers say is compared when it comes, and no acquisition waits for it. */
class MemberServersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final ServerFacts ONE_CLUSTER = new ServerFacts("", "", 0, Set.of("node"));
  private static final ServerFacts ANOTHER = new ServerFacts("", "", 0, Set.of("elsewhere"));

  private final Map<String, CompletableFuture<ServerFacts>> facts = new HashMap<>();

  /** The places of the members whose servers were asked, in order. */
  private final List<String> questions = new ArrayList<>();

  /** What the members were asked for, by an acquisition. */
  private final Deque<CompletableFuture<LeaseOutcome>> votes = new ArrayDeque<>();

  private final Deque<Runnable> timers = new ArrayDeque<>();
  private final List<Member> all = List.of(member("a"), member("b"));
  private final MemberServers servers = new MemberServers("red", all);
  private final QuorumMembers members = new QuorumMembers("red", all, TIMEOUT, null, servers);

  private Object schedule(Object[] args) {
    timers.add((Runnable) args[0]);
    return (TimeSource.Timer) () -> {};
  }

  private Member member(String place) {
    TimeSource time =
        Stub.of(TimeSource.class, Map.of("schedule", this::schedule, "nanoTime", none -> 0L));
    BackendInfo store =
        new BackendInfo("redis://" + place, "7.0", true, false, Topology.CLUSTER, null);
    return Stub.of(
        Member.class,
        Map.of(
            "place", none -> place,
            "store", none -> store,
            "time", none -> time,
            "request", this::vote,
            "server", none -> facts.compute(place, (key, before) -> question(key))));
  }

  @SuppressWarnings("unchecked")
  private Object vote(Object[] args) {
    votes.add((CompletableFuture<LeaseOutcome>) args[1]);
    return args[1];
  }

  private CompletableFuture<ServerFacts> question(String place) {
    questions.add(place);
    return new CompletableFuture<>();
  }

  private CompletableFuture<ServerFacts> asked(String place) {
    return Objects.requireNonNull(facts.get(place), place);
  }

  private void says(String place, ServerFacts what) {
    asked(place).complete(what);
  }

  private void isSilent(String place) {
    asked(place).completeExceptionally(new IllegalStateException("no answer"));
  }

  private CompletableFuture<LeaseOutcome> acquire() {
    CompletableFuture<LeaseOutcome> result = new CompletableFuture<>();
    servers.acquiring(false);
    QuorumRequest.start(members, new QuorumOwner(null, event -> {}), Long.MAX_VALUE / 2, result);
    return result;
  }

  /** Answers what the members were asked for. */
  private void othersHoldAll() {
    List<CompletableFuture<LeaseOutcome>> asked = List.copyOf(votes);
    votes.clear();
    asked.forEach(each -> each.complete(new LeaseOutcome(null, "another")));
  }

  private static void assertRefused(CompletableFuture<?> acquisition) {
    assertTrue(acquisition.isDone(), "it waits");
    Throwable refusal = assertInstanceOf(IllegalStateException.class, Futures.failure(acquisition));
    assertTrue(String.valueOf(refusal.getMessage()).contains("in one cluster"), refusal::toString);
  }

  @Test
  void anAcquisitionAsksItsMembersWhateverTheServersHaveSaid() {
    servers.ask();
    CompletableFuture<LeaseOutcome> acquisition = acquire();
    assertEquals(2, votes.size());
    assertFalse(acquisition.isDone());
    assertEquals(List.of("a", "b"), questions, "each server is asked once");
  }

  @Test
  void afterTheLastAnswerEachAcquisitionIsRefusedBeforeItAsks() {
    servers.ask();
    says("a", ONE_CLUSTER);
    says("b", ONE_CLUSTER);
    assertRefused(acquire());
    assertRefused(acquire());
    assertEquals(0, votes.size());
  }

  /** Members with one vote may never make a majority, so it would wait for ever. */
  @Test
  void anAcquisitionThatWaitsIsRefusedAtItsNextRound() {
    servers.ask();
    CompletableFuture<LeaseOutcome> waiting = acquire();
    says("a", ONE_CLUSTER);
    says("b", ONE_CLUSTER);
    assertFalse(waiting.isDone());
    othersHoldAll();
    for (int i = 0; i < 100 && !waiting.isDone() && !timers.isEmpty(); i++) {
      timers.remove().run();
      othersHoldAll();
    }
    assertRefused(waiting);
  }

  @Test
  void aServerThatDidNotAnswerIsAskedAgainByTheNextAcquisition() {
    servers.ask();
    says("a", ONE_CLUSTER);
    isSilent("b");
    assertFalse(acquire().isDone());
    assertEquals(List.of("a", "b", "b"), questions);
    assertFalse(acquire().isDone());
    assertEquals(List.of("a", "b", "b"), questions, "it is being asked");
    says("b", ONE_CLUSTER);
    assertRefused(acquire());
  }

  @Test
  void membersThatFitAreNotAskedAgain() {
    servers.ask();
    says("a", ONE_CLUSTER);
    says("b", ANOTHER);
    assertFalse(acquire().isDone());
    assertFalse(acquire().isDone());
    assertEquals(List.of("a", "b"), questions);
  }
}
