package io.mortise.internal.composite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.internal.engine.Futures;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.ServerFacts;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.TimeSource;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long the first acquisition of a Redlock waits for what the servers say. */
class MemberServersTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final ServerFacts ONE_CLUSTER = new ServerFacts("", "", 0, Set.of("node"));

  /** Timers by when they are due (ns). */
  private final TreeMap<Long, Runnable> timers = new TreeMap<>();

  private final Map<String, CompletableFuture<ServerFacts>> facts = new HashMap<>();
  private final MemberServers servers = new MemberServers("red");
  private final QuorumMembers members =
      new QuorumMembers("red", List.of(member("a"), member("b")), TIMEOUT, null, servers);
  private final CompletableFuture<LeaseOutcome> acquisition = new CompletableFuture<>();

  private Object schedule(Object[] args) {
    timers.put(((Duration) args[1]).toNanos(), (Runnable) args[0]);
    return (TimeSource.Timer) () -> {};
  }

  private Member member(String place) {
    TimeSource time = Stub.of(TimeSource.class, Map.of("schedule", this::schedule));
    BackendInfo store =
        new BackendInfo("redis://" + place, "7.0", true, false, Topology.CLUSTER, null);
    return Stub.of(
        Member.class,
        Map.of(
            "place", none -> place,
            "store", none -> store,
            "time", none -> time,
            "request", none -> null,
            "server", none -> facts.computeIfAbsent(place, p -> new CompletableFuture<>())));
  }

  private CompletableFuture<ServerFacts> facts(String place) {
    return facts.computeIfAbsent(place, p -> new CompletableFuture<>());
  }

  private CompletableFuture<Void> acquire(boolean bothAnswer) {
    return acquire(members, bothAnswer ? Set.of("a", "b") : Set.of("a"));
  }

  /** The acquisition ends, with an answer of these members. */
  private CompletableFuture<Void> acquire(QuorumMembers of, Set<String> answering) {
    CompletableFuture<Void> check = servers.check(of, acquisition);
    for (Member each : of.all()) {
      CompletableFuture<LeaseOutcome> answer = new CompletableFuture<>();
      of.ask(each, 0, answer);
      if (answering.contains(each.place())) {
        answer.complete(new LeaseOutcome(null, "another"));
      } else {
        answer.completeExceptionally(new IllegalStateException("no answer"));
      }
    }
    acquisition.complete(new LeaseOutcome(null, "another"));
    return check;
  }

  private void runNextTimer() {
    timers.pollFirstEntry().getValue().run();
  }

  @Test
  void aServerThatAnsweredIsWaitedForUntilItSaysWhatItIs() {
    CompletableFuture<Void> check = acquire(true);
    facts("a").complete(ONE_CLUSTER);
    runNextTimer();
    assertFalse(check.isDone(), "b is alive, so what it says comes");
    facts("b").complete(ONE_CLUSTER);
    assertInstanceOf(IllegalStateException.class, Futures.failure(check));
  }

  @Test
  void aServerThatAnsweredIsWaitedForNoLongerThanTheMemberTimeout() {
    CompletableFuture<Void> check = acquire(true);
    facts("a").complete(ONE_CLUSTER);
    runNextTimer();
    assertEquals(TIMEOUT.toNanos(), timers.firstKey());
    runNextTimer();
    assertTrue(check.isDone());
    assertNull(Futures.failure(check));
  }

  /** Two live and one is dead: the last of the living to say what it is ends the wait. */
  @Test
  void afterTheGraceTheLivingEndTheWait() {
    QuorumMembers three =
        new QuorumMembers(
            "red", List.of(member("a"), member("b"), member("dead")), TIMEOUT, null, servers);
    CompletableFuture<Void> check = acquire(three, Set.of("a", "b"));
    runNextTimer();
    facts("a").completeExceptionally(new IllegalStateException("not allowed to say it"));
    assertFalse(check.isDone());
    facts("b").complete(ONE_CLUSTER);
    assertTrue(check.isDone());
    assertNull(Futures.failure(check));
  }

  @Test
  void aSecondAcquisitionDoesNotWaitForTheFirst() {
    CompletableFuture<Void> first = servers.check(members, new CompletableFuture<>());
    CompletableFuture<Void> second = acquire(false);
    facts("a").complete(ONE_CLUSTER);
    assertFalse(second.isDone());
    runNextTimer();
    assertTrue(second.isDone());
    assertTrue(first.isDone());
  }

  @Test
  void aShortMemberTimeoutLeavesTheGrace() {
    QuorumMembers hurried =
        new QuorumMembers("red", members.all(), Duration.ofMillis(10), null, servers);
    CompletableFuture<Void> unused = servers.check(hurried, acquisition);
    acquisition.complete(new LeaseOutcome(null, "another"));
    assertEquals(Duration.ofMillis(50).toNanos(), timers.firstKey());
  }

  @Test
  void aServerThatDidNotAnswerHindersNoAcquisition() {
    CompletableFuture<Void> check = acquire(false);
    facts("a").complete(ONE_CLUSTER);
    assertFalse(check.isDone());
    runNextTimer();
    assertTrue(check.isDone());
    assertNull(Futures.failure(check));
  }

  @Test
  void whatAServerSaysLateCountsForTheNextAcquisition() {
    CompletableFuture<Void> first = acquire(false);
    facts("a").complete(ONE_CLUSTER);
    runNextTimer();
    assertNull(Futures.failure(first));
    facts("b").complete(ONE_CLUSTER);
    assertInstanceOf(
        IllegalStateException.class, Futures.failure(servers.check(members, acquisition)));
  }
}
