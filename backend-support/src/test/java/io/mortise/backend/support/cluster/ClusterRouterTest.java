package io.mortise.backend.support.cluster;

import static io.mortise.backend.support.cluster.StubCluster.A;
import static io.mortise.backend.support.cluster.StubCluster.B;
import static io.mortise.backend.support.cluster.StubCluster.inTurn;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.backend.support.cluster.StubCluster.StubNode;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ForwardingTime;
import io.mortise.spi.ReplicaAcks;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClusterRouterTest {
  private static final Duration BRIEF = Duration.ofMillis(300);

  /** The two ways of a call. */
  enum Way {
    BLOCKING,
    ASYNC,
    BATCH
  }

  /** The timeout of a call. */
  private Duration timeout = Duration.ofSeconds(5);

  private final StubCluster cluster = new StubCluster();
  private final ClusterRouter router = new ClusterRouter(cluster, List.of(A), "here", BRIEF);

  @AfterEach
  void close() {
    router.close();
  }

  private List<Object> call(Way way) {
    return call(
        way, new ScriptCall(Script.of("take", "return 1"), List.of("k"), List.of(), timeout));
  }

  private List<Object> call(Way way, ScriptCall call) {
    try {
      return switch (way) {
        case BLOCKING -> router.execute(call);
        case ASYNC -> router.executeAsync(call).join();
        case BATCH -> router.executeAll(List.of(call)).get(0).join();
      };
    } catch (CompletionException e) {
      throw assertInstanceOf(BackendException.class, e.getCause());
    }
  }

  private BackendException failure(Way way) {
    return assertThrows(BackendException.class, () -> call(way));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B22: a call goes to the master of its slot")
  void theMasterOfTheSlot(Way way) {
    assertEquals(List.of(A), call(way));
    assertEquals(List.of(A), cluster.asked);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B22: a call follows MOVED, also to a node without a host")
  void moved(Way way) {
    cluster.replies.put(A, inTurn("MOVED 1 :2"));
    assertEquals(List.of(B), call(way));
    assertEquals(List.of(A, B), cluster.asked);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B22, L22: a call that follows MOVED or ASK waits for the same replicas")
  void redirectedWithReplicas(Way way) {
    cluster.replies.put(A, inTurn("MOVED 1 here:2", "ASK 1 here:2"));
    ReplicaAcks acks = new ReplicaAcks(1, Duration.ofMillis(50));
    ScriptCall call =
        new ScriptCall(Script.of("take", "return 1"), List.of("k"), List.of(), BRIEF)
            .withAcks(acks);
    call(way, call);
    call(way, call);
    assertEquals(4, cluster.calls.size());
    cluster.calls.forEach(each -> assertEquals(acks, each.acks()));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B22: a call follows ASK with ASKING, and TRYAGAIN begins again at the master")
  void asked(Way way) {
    String ask = "ASK 1 here:2";
    cluster.replies.put(A, inTurn(ask, ask, ask, ask, ask, ask, ask));
    String again = "TRYAGAIN Multiple keys request during rehashing of slot";
    cluster.replies.put(B, inTurn(again, again, again, again, again, again));
    assertEquals(List.of(B), call(way));
    assertEquals(7, Collections.frequency(cluster.asked, A));
    assertEquals(7, Collections.frequency(cluster.asked, B + " asking"));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B22: of nodes that point at each other, a call follows five; NOT_EXECUTED")
  void nodesThatLie(Way way) {
    cluster.replies.put(A, asking -> "MOVED 1 here:2");
    cluster.replies.put(B, asking -> "MOVED 1 here:1");
    BackendException failure = failure(way);
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertEquals(
        "here: take was not sent: redirected too often; last: MOVED 1 here:1",
        failure.getMessage());
    assertEquals(6, cluster.asked.size());
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B3, B22: a call whose slot stays on its way ends at its deadline; NOT_EXECUTED")
  void tryAgainUntilTheDeadline(Way way) {
    timeout = BRIEF;
    cluster.replies.put(A, asking -> "TRYAGAIN Multiple keys request during rehashing of slot");
    long start = System.nanoTime();
    BackendException failure = failure(way);
    assertTrue(System.nanoTime() - start < 2_000_000_000L);
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertTrue(String.valueOf(failure.getMessage()).contains("last: TRYAGAIN"), failure::toString);
    assertTrue(cluster.asked.size() < 20, () -> cluster.asked.size() + " attempts");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B2: a script that was cut short is UNKNOWN, and is not sent again")
  void cutShort(Way way) {
    String error = "ERR Script attempted to access a non local key in a cluster node";
    cluster.replies.put(A, inTurn(error));
    assertEquals(Outcome.UNKNOWN, failure(way).outcome());
    assertEquals(List.of(A), cluster.asked);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B1: a node that cannot write is NOT_EXECUTED at once, in the server's words")
  void unfit(Way way) {
    cluster.replies.put(A, inTurn("CLUSTERDOWN The cluster is down"));
    BackendException failure = failure(way);
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertEquals("CLUSTERDOWN The cluster is down", failure.getMessage());
    assertEquals(List.of(A), cluster.asked);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B1: a redirection to a node that cannot be reached is NOT_EXECUTED")
  void unreachable(Way way) {
    cluster.replies.put(A, inTurn("MOVED 1 nowhere:2"));
    BackendException failure = failure(way);
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    assertTrue(String.valueOf(failure.getMessage()).contains("nowhere:2"), failure::toString);
  }

  @Test
  @DisplayName("B22: an error while a node is opened is no end: it is opened again")
  void anErrorAtOpening() {
    cluster.replies.put(A, asking -> "MOVED 1 here:3");
    cluster.broken.add("here:3");
    assertEquals(Outcome.NOT_EXECUTED, failure(Way.ASYNC).outcome());
    assertEquals(List.of("here:3"), call(Way.ASYNC));
    assertEquals(List.of(), cluster.broken);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B23: after a refusal the slots are read again, and calls go to the new master")
  void failover(Way way) throws InterruptedException {
    cluster.replies.put(A, asking -> "READONLY You can't write against a read only replica.");
    cluster.masterOfAll = B;
    failure(way);
    long end = System.nanoTime() + 20_000_000_000L;
    while (!cluster.asked.contains(B) && System.nanoTime() < end) {
      Thread.sleep(20);
      try {
        call(way);
      } catch (BackendException e) {
        assertEquals(Outcome.NOT_EXECUTED, e.outcome());
      }
    }
    assertEquals(List.of(B), call(way));
  }

  @Test
  @DisplayName("B16: a failed opening closes the nodes that it has connected to")
  void aFailedOpening() {
    StubCluster other = new StubCluster();
    other.hidesSlots = true;
    assertThrows(
        BackendException.class, () -> new ClusterRouter(other, List.of(A, B), "there", BRIEF));
    assertEquals(Map.of(), other.nodes);
  }

  @Test
  @DisplayName("B23: a node that has failed is closed once it is replaced, without another call")
  void aReplacedNode() throws InterruptedException {
    cluster.replies.put(A, inTurn("READONLY You can't write against a read only replica."));
    failure(Way.BLOCKING);
    Thread.sleep(300); // so that the reading that the failure caused still names it
    cluster.onlyNode = B;
    long end = System.nanoTime() + 20_000_000_000L;
    while (cluster.nodes.containsKey(A) && System.nanoTime() < end) {
      Thread.sleep(20);
    }
    assertFalse(cluster.nodes.containsKey(A), "the calls that wait for it still wait");
  }

  @Test
  @DisplayName("B16: one good seed is enough, and without one each is named with its reason")
  void seeds() {
    try (ClusterRouter second =
        new ClusterRouter(new StubCluster(), List.of("nowhere:1", A), "here", BRIEF)) {
      assertEquals("7.0.0", second.info().serverVersion());
    }
    BackendException none =
        assertThrows(
            BackendException.class,
            () ->
                new ClusterRouter(
                    new StubCluster(), List.of("nowhere:1", "nowhere:2"), "here", BRIEF));
    assertEquals(
        "nowhere:1 refused the connection; and nowhere:2 refused the connection",
        none.getMessage());
  }

  @Test
  @DisplayName("B17: after close calls are NOT_EXECUTED, and a subscription reports a gap")
  void closed() {
    Heard heard = new Heard();
    router.close();
    router.subscribe("c", heard);
    heard.await("interrupted");
  }

  private Outcome outcomeInTime(Way way) {
    return assertTimeoutPreemptively(Duration.ofSeconds(20), () -> failure(way)).outcome();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B3: an error behind a redirection ends the call, whose outcome is open")
  void anErrorBehindARedirection(Way way) {
    cluster.replies.put(A, inTurn("MOVED 1 here:2"));
    cluster.failing.add(B);
    assertEquals(Outcome.UNKNOWN, outcomeInTime(way));
  }

  @ParameterizedTest
  @EnumSource(names = {"ASYNC", "BATCH"})
  @DisplayName("B5, B6: an error of a node ends the call, whose outcome is open")
  void anErrorOfANode(Way way) {
    cluster.failing.add(A);
    assertEquals(Outcome.UNKNOWN, outcomeInTime(way));
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B3: an error of the timer ends the call that should be sent again")
  void anErrorOfTheTimer(Way way) {
    cluster.time =
        new ForwardingTime() {
          @Override
          protected TimeSource target() {
            return TimeSource.system();
          }

          @Override
          public Timer schedule(Runnable task, Duration delay) {
            throw new Error("no thread can be made");
          }
        };
    cluster.replies.put(A, inTurn("TRYAGAIN Multiple keys request during rehashing of slot"));
    assertEquals(Outcome.UNKNOWN, outcomeInTime(way));
  }

  private void awaitClosed(StubNode node) {
    long end = System.nanoTime() + 20_000_000_000L;
    while (node.closer == null && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
    assertNotNull(node.closer);
    assertNotEquals(Thread.currentThread(), node.closer);
  }

  @Test
  @DisplayName("B11, B22: channels leave a node whose client was closed; its close delays no call")
  void aClientThatWasClosed() {
    Heard plain = new Heard();
    router.subscribe("c", plain);
    plain.await("subscribed");
    StubNode home =
        cluster.nodes.values().stream().filter(node -> !node.listeners.isEmpty()).findAny().get();
    cluster.hidesSlots = true; // no probe can be sent, so none is lost
    home.over = true;
    String key = "k".repeat(home.toString().equals(A) ? 1 : 10_000);
    Script script = Script.of("take", "return 1");
    call(Way.BLOCKING, new ScriptCall(script, List.of(key), List.of(), timeout));
    awaitClosed(home);
    plain.await("subscribed", "interrupted", "subscribed");
  }

  @Test
  @DisplayName("B11, B22: a sharded channel is subscribed to at the node that replaces its own")
  void aShardedClientThatWasClosed() {
    Heard sharded = new Heard();
    router.subscribeSharded("c", sharded);
    sharded.await("subscribed");
    StubNode old = Objects.requireNonNull(cluster.nodes.get(A));
    old.over = true;
    call(Way.ASYNC);
    awaitClosed(old);
    sharded.await("subscribed", "interrupted", "subscribed");
    assertEquals(1, Objects.requireNonNull(cluster.nodes.get(A)).listeners.size());
  }

  private BackendException impatient(Duration longest) {
    CountDownLatch gate = new CountDownLatch(1);
    cluster.gates.put(A, gate);
    Objects.requireNonNull(cluster.nodes.get(A)).over = true;
    ScriptCall call =
        new ScriptCall(
                Script.of("take", "return 1"), List.of("k"), List.of(), Duration.ofSeconds(60))
            .withPatience(new ScriptCall.Patience(longest, true));
    long start = System.nanoTime();
    BackendException failure = assertThrows(BackendException.class, () -> call(Way.BLOCKING, call));
    assertTrue(System.nanoTime() - start < 20_000_000_000L, "it waited for its timeout");
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    gate.countDown();
    return failure;
  }

  @Test
  @DisplayName(
      "B3: a call waits for the opening of its node no longer than its caller has patience")
  void patience() {
    String message = String.valueOf(impatient(Duration.ofMillis(50)).getMessage());
    assertTrue(message.contains("no connection was ready in time"), message);
  }

  @Test
  @DisplayName("B4: an interrupt ends the wait for the opening of a node, and stays set")
  void interruptedPatience() {
    Thread.currentThread().interrupt();
    String message = String.valueOf(impatient(Duration.ofSeconds(60)).getMessage());
    assertTrue(Thread.interrupted());
    assertTrue(message.contains("its thread was interrupted"), message);
  }

  @Test
  @DisplayName("B22: a call without keys goes to a master, also if some slots have none")
  void slotsWithoutAMaster() {
    StubCluster few = new StubCluster();
    few.onlyNode = A;
    few.lastSlot = 9;
    ScriptCall call = new ScriptCall(Script.of("s", "return 1"), List.of(), List.of(), timeout);
    try (ClusterRouter other = new ClusterRouter(few, List.of(A), "there", BRIEF)) {
      for (int i = 0; i < 20; i++) {
        assertEquals(List.of(A), other.execute(call));
      }
    }
  }
}
