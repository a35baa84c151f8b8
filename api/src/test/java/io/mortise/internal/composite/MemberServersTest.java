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

  /** The acquisition ends with one member, while the other gives this answer or none. */
  private CompletableFuture<Void> acquire(boolean bothAnswer) {
    CompletableFuture<Void> check = servers.check(members, acquisition);
    for (Member each : members.all()) {
      CompletableFuture<LeaseOutcome> answer = new CompletableFuture<>();
      members.ask(each, 0, answer);
      if (each.place().equals("a") || bothAnswer) {
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
