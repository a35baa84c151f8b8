package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that wait for replicas, on a server with two of them. */
abstract class ReplicaDuties extends FaultDuties {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** In which a living replica answers, and a frozen one is waited for. */
  private static final Duration SOME = Duration.ofMillis(1_500);

  private final RedisBackendConformance suite;
  private final List<RedisServer> replicas = new ArrayList<>();

  ReplicaDuties(RedisBackendConformance suite) {
    super(suite);
    this.suite = suite;
  }

  @BeforeEach
  void requireReplicas() {
    assumeTrue(suite.countsReplicas(), "the backend ignores acks");
  }

  @AfterEach
  void stopReplicas() {
    replicas.forEach(RedisServer::close);
  }

  private LockBackend replicated() {
    for (int i = 0; i < 2; i++) {
      RedisServer replica = RedisServer.start();
      replicas.add(replica);
      replica.command("REPLICAOF", server.host(), Integer.toString(server.port()));
    }
    server.command("CONFIG", "SET", "repl-diskless-sync-delay", "0");
    LockBackend backend = direct();
    ScriptCall both = asking(2, Duration.ofMillis(500), increment("both"));
    Await.until("both replicas follow", LONG, () -> replicas(backend.execute(both)) == 2);
    return backend;
  }

  private static ScriptCall asking(int replicas, Duration wait, ScriptCall call) {
    return call.withTimeout(LONG).withAcks(new ReplicaAcks(replicas, wait));
  }

  private static long replicas(List<Object> reply) {
    return (Long) reply.get(reply.size() - 1);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B24")
  @DisplayName("B24: the reply ends with the number of replicas that have what the script wrote")
  void theReplyEndsWithTheNumberOfReplicas(Way way) {
    LockBackend backend = replicated();

    List<Object> reply = way.call(backend, asking(2, LONG, increment("a")));

    assertEquals(List.of(1L, 2L), reply);
    for (RedisServer replica : replicas) {
      assertEquals("1", replica.command("GET", "a"));
    }
    assertEquals(List.of(2L), way.call(backend, increment("a")), "it did not ask for replicas");
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B24")
  @DisplayName("B24: a replica that does not answer is not counted, also on a new connection")
  void aFrozenReplicaIsNotCounted(Way way) {
    LockBackend backend = replicated();
    replicas.get(0).pause();
    LockBackend other = direct();

    assertEquals(List.of(1L, 1L), way.call(backend, asking(2, SOME, increment("a"))));
    assertEquals(List.of(2L, 1L), way.call(other, asking(2, SOME, increment("a"))));

    replicas.get(0).resume();
    assertEquals(List.of(3L, 2L), way.call(other, asking(2, LONG, increment("a"))));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B7", "B24"})
  @DisplayName("B24: a script that the server did not know is counted after its second sending")
  void anUnknownScript(Way way) {
    LockBackend backend = replicated();
    server.command("SCRIPT", "FLUSH");
    replicas.get(0).pause();

    assertEquals(List.of(1L, 1L), way.call(backend, asking(2, SOME, increment("a"))));
    assertEquals(1, count("a"));
  }

  @Test
  @Rule("B24")
  @DisplayName("B24: a call that waits for replicas holds up no call that does not")
  void otherCallsGoOn() {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);
    CompletableFuture<List<Object>> waiting =
        backend.executeAsync(asking(1, Duration.ofSeconds(8), increment("a")));
    Await.until("the script ran", () -> count("a") == 1);

    for (int i = 1; i <= 50; i++) {
      assertEquals(List.of((long) i), backend.execute(increment("b")));
    }

    assertFalse(waiting.isDone());
    replicas.forEach(RedisServer::resume);
    assertTrue(replicas(Await.value(waiting)) >= 1);
  }

  @Test
  @Rule("B24")
  @DisplayName(
      "B24: of calls that are sent together, those that wait for replicas hold up no other")
  void callsSentTogether() {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);
    ScriptCall waits = asking(1, Duration.ofSeconds(8), increment("a"));

    List<CompletableFuture<List<Object>>> all =
        backend.executeAll(List.of(increment("b"), waits, increment("b")));

    assertEquals(List.of(1L), Await.value(all.get(0)));
    assertEquals(List.of(2L), Await.value(all.get(2)));
    assertFalse(all.get(1).isDone());
    replicas.forEach(RedisServer::resume);
    assertTrue(replicas(Await.value(all.get(1))) >= 1);
  }

  @Test
  @Rule({"B3", "B24"})
  @DisplayName("B24: calls that wait for replicas do not wait for each other's replicas in turn")
  void callsDoNotWaitInTurn() {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);
    List<CompletableFuture<List<Object>>> waiting = new ArrayList<>();
    for (int i = 0; i < 40; i++) { // 40 s in turn
      waiting.add(backend.executeAsync(asking(1, Duration.ofSeconds(1), increment("a"))));
    }

    waiting.forEach(reply -> assertEquals(0, replicas(Await.value(reply))));
    assertEquals(40, count("a"));
  }

  @Test
  @Rule({"B13", "B24"})
  @DisplayName("B24: a link that waits for replicas is silent, and is not taken for a dead one")
  void aLinkThatWaitsIsNotDead() {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);

    List<Object> reply = backend.execute(asking(1, Duration.ofSeconds(7), increment("a")));

    assertEquals(List.of(1L, 0L), reply);
  }

  @Test
  @Rule({"B1", "B2", "B24"})
  @DisplayName("B24: a call that finds all links waiting for replicas is not sent, then or later")
  void aCallWithoutALinkIsNotSent() {
    LockBackend backend = replicated();
    List<CompletableFuture<List<Object>>> waiting = allLinksWait(backend);
    ScriptCall brief = asking(1, Duration.ofMillis(20), increment("b")).withTimeout(BRIEF);

    BackendException notSent = (BackendException) Await.failure(backend.executeAsync(brief));

    assertEquals(Outcome.NOT_EXECUTED, notSent.outcome());
    assertNeverSent(backend, waiting);
  }

  /** Calls that wait for replicas on as many links as a backend has for them. */
  private List<CompletableFuture<List<Object>>> allLinksWait(LockBackend backend) {
    replicas.forEach(RedisServer::pause);
    List<CompletableFuture<List<Object>>> waiting = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      long sent = i;
      waiting.add(backend.executeAsync(asking(1, Duration.ofSeconds(8), increment("a"))));
      Await.until("the script ran", () -> count("a") == sent);
    }
    return waiting;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Rule({"B3", "B24"})
  @DisplayName("B3, B24: a caller's patience ends the wait for a link that waits for replicas")
  void patienceEndsTheWaitForALink(boolean interruptible) {
    LockBackend backend = replicated();
    List<CompletableFuture<List<Object>>> waiting = allLinksWait(backend);
    ScriptCall call =
        asking(1, BRIEF, increment("b")).withPatience(new Patience(BRIEF, interruptible));

    BackendException notSent = failsInTime(call.withTimeout(BRIEF), () -> backend.execute(call));

    assertEquals(Outcome.NOT_EXECUTED, notSent.outcome(), notSent::toString);
    assertNeverSent(backend, waiting);
  }

  @Test
  @Rule({"B4", "B24"})
  @DisplayName("B4, B24: an interrupt ends the wait for a link, if the caller wants that")
  void anInterruptEndsTheWaitForALink() throws InterruptedException {
    LockBackend backend = replicated();
    List<CompletableFuture<List<Object>>> waiting = allLinksWait(backend);
    ScriptCall call = asking(1, BRIEF, increment("b")).withPatience(new Patience(LONG, true));
    AtomicBoolean kept = new AtomicBoolean();
    Crew caller =
        Crew.start(
            ThreadKind.PLATFORM,
            1,
            number -> {
              BackendException notSent =
                  assertThrows(BackendException.class, () -> backend.execute(call));
              kept.set(Thread.currentThread().isInterrupted());
              assertEquals(Outcome.NOT_EXECUTED, notSent.outcome(), notSent::toString);
            });
    Await.until(
        "it waits",
        () -> caller.first().getState() == Thread.State.TIMED_WAITING || caller.hasEnded());
    caller.first().interrupt();
    caller.join(SLACK);

    assertTrue(kept.get(), "the thread stays interrupted");
    assertNeverSent(backend, waiting);
  }

  @Test
  @Rule({"B3", "B4", "B24"})
  @DisplayName("B3, B24: neither patience nor an interrupt ends the wait for replicas")
  void aCallThatWasSentIsWaitedFor() throws InterruptedException {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);
    ScriptCall call =
        asking(1, Duration.ofSeconds(3), increment("b")).withPatience(new Patience(BRIEF, true));
    Crew caller =
        Crew.start(
            ThreadKind.PLATFORM, 1, number -> assertEquals(List.of(1L, 0L), backend.execute(call)));
    Await.until("the script ran", () -> count("b") == 1);
    Thread.sleep(2 * BRIEF.toMillis()); // its patience is over
    caller.first().interrupt();

    caller.join(Await.patience());
  }

  private void assertNeverSent(LockBackend backend, List<CompletableFuture<List<Object>>> waiting) {
    waiting.forEach(reply -> assertFalse(reply.isDone(), "no link was free"));
    replicas.forEach(RedisServer::resume);
    waiting.forEach(reply -> assertTrue(replicas(Await.value(reply)) >= 1));
    assertEquals(1L, backend.execute(asking(1, LONG, increment("b"))).get(0));
  }

  @Test
  @Rule({"B1", "B24"})
  @DisplayName("B24: a link that breaks behind the script's reply, before the count, is UNKNOWN")
  void aLinkThatBreaksBeforeTheCount() {
    LockBackend backend = replicated();
    replicas.forEach(RedisServer::pause);
    CompletableFuture<List<Object>> waiting =
        backend.executeAsync(asking(1, Duration.ofSeconds(8), increment("a")));
    Await.until("the script ran", () -> count("a") == 1);

    server.command("CLIENT", "KILL", "TYPE", "normal");

    BackendException broken = (BackendException) Await.failure(waiting);
    assertEquals(Outcome.UNKNOWN, broken.outcome());
    replicas.forEach(RedisServer::resume);
  }

  @Test
  @Rule({"B6", "B24"})
  @DisplayName("B24: calls that are sent together share one wait")
  void callsShareAWait() {
    LockBackend backend = replicated();
    server.resetCounts();
    List<ScriptCall> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(asking(2, LONG, increment("a")));
    }

    List<CompletableFuture<List<Object>>> replies = backend.executeAll(calls);

    replies.forEach(reply -> assertEquals(2, replicas(Await.value(reply))));
    assertEquals(100, count("a"));
    assertEquals(1, server.commandCounts().get("wait"));
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B1", "B24"})
  @DisplayName("B24: a user without WAIT is told by the server's words")
  void aUserWithoutWait(Way way) {
    server.command("ACL", "SETUSER", "default", "-wait");
    LockBackend backend = direct();

    BackendException refused =
        assertThrows(
            BackendException.class, () -> way.call(backend, asking(1, BRIEF, increment("a"))));

    assertEquals(Outcome.REPLIED, refused.outcome());
    assertTrue(String.valueOf(refused.getMessage()).contains("wait"), refused.getMessage());
  }
}
