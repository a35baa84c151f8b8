package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.echo;
import static io.mortise.backend.lettuce.Fixture.failure;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Calls while the server or the link to it fails. */
@Tag("ci")
final class OutageTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  private final RedisServer server = RedisServer.start();
  private final TcpProxy proxy = TcpProxy.to(server);
  private final LockBackend backend = Fixture.open(proxy.uri());

  OutageTest() {
    backend.execute(count("warm"));
  }

  @AfterEach
  void close() {
    backend.close();
    proxy.close();
    server.close();
  }

  private String executions(String key) {
    Object count = server.command("GET", key);
    return count == null ? "0" : count.toString();
  }

  private void awaitAnswers() {
    Fixture.await("the backend answers again", () -> answers(backend));
  }

  private static boolean answers(LockBackend backend) {
    try {
      return backend.execute(echo("k", "v")).equals(List.of("k", "v"));
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName("B3: execute ends within its timeout on a frozen server; the outcome is unknown")
  void executeEndsWithinItsTimeout() {
    server.pause();
    long start = System.nanoTime();
    BackendException e = failure(() -> backend.execute(count("k", SHORT)));

    assertEquals(Outcome.UNKNOWN, e.outcome());
    assertTrue(Fixture.since(start).compareTo(SHORT) >= 0);
    assertTrue(Fixture.since(start).compareTo(SHORT.plusSeconds(2)) < 0);
    assertTrue(Fixture.message(e).contains("count"), e.getMessage());
    server.resume();
  }

  @Test
  @DisplayName("B5: executeAsync and executeAll return at once and end within their timeout")
  void asyncCallsEndWithinTheirTimeout() throws Exception {
    server.pause();
    long start = System.nanoTime();
    List<CompletableFuture<List<Object>>> futures = new ArrayList<>();
    futures.add(backend.executeAsync(count("k", SHORT)));
    futures.addAll(backend.executeAll(List.of(count("k", SHORT), count("k", SHORT))));
    assertTrue(futures.stream().noneMatch(CompletableFuture::isDone));
    for (CompletableFuture<List<Object>> future : futures) {
      assertEquals(Outcome.UNKNOWN, failure(future).outcome());
    }
    assertTrue(Fixture.since(start).compareTo(SHORT.plusSeconds(2)) < 0);
    server.resume();
  }

  @Test
  @DisplayName("B1, B2: a call whose reply is lost in a cut is unknown, and runs once")
  void aCallWhoseReplyIsLostRunsOnce() throws Exception {
    proxy.stall(TcpProxy.Direction.REPLIES);
    CompletableFuture<List<Object>> call = backend.executeAsync(count("k"));
    Fixture.await("it runs", () -> executions("k").equals("1"));
    proxy.cut();
    proxy.resume();

    assertEquals(Outcome.UNKNOWN, failure(call).outcome());
    awaitAnswers();
    assertEquals("1", executions("k"));
  }

  @Test
  @DisplayName("B1, B2: calls that are written but lost on the link are unknown, and never run")
  void callsLostOnTheWayNeverRun() throws Exception {
    proxy.stall(TcpProxy.Direction.REQUESTS);
    List<CompletableFuture<List<Object>>> calls =
        IntStream.range(0, 50).mapToObj(i -> backend.executeAsync(count("k"))).toList();
    BackendException givenUp = failure(() -> backend.execute(count("k", SHORT)));
    proxy.cut();
    proxy.resume();

    assertEquals(Outcome.UNKNOWN, givenUp.outcome());
    for (CompletableFuture<List<Object>> call : calls) {
      assertEquals(Outcome.UNKNOWN, failure(call).outcome());
    }
    awaitAnswers();
    assertEquals("0", executions("k"));
  }

  @Test
  @DisplayName(
      "B2: under load with the link cut again and again no call runs twice, none that was not sent runs at all")
  void noCallRunsTwiceWhileTheLinkIsCut() throws Exception {
    List<CompletableFuture<List<Object>>> calls = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      awaitAnswers();
      for (int i = 0; i < 400; i++) {
        calls.add(backend.executeAsync(count("k" + calls.size(), SHORT)));
        if (i == 200) {
          proxy.refuse();
          proxy.cut();
        }
      }
      Fixture.await("the cut is noticed", () -> isRefused(calls));
      proxy.resume();
    }
    List<Outcome> failures = new ArrayList<>();
    for (int i = 0; i < calls.size(); i++) {
      CompletableFuture<List<Object>> call = calls.get(i);
      Fixture.await("the call ends", call::isDone);
      String runs = null;
      if (call.isCompletedExceptionally()) {
        Outcome outcome = failure(call).outcome();
        failures.add(outcome);
        runs = outcome == Outcome.NOT_EXECUTED ? "0" : null;
      } else {
        runs = "1";
      }
      String ran = executions("k" + i);
      assertTrue(runs == null ? !ran.equals("2") : ran.equals(runs), ran + " for " + call);
    }
    assertTrue(failures.contains(Outcome.UNKNOWN), "no call met a cut: " + failures.size());
  }

  private boolean isRefused(List<CompletableFuture<List<Object>>> calls) {
    CompletableFuture<List<Object>> call = backend.executeAsync(count("k" + calls.size(), SHORT));
    calls.add(call);
    return call.handle((reply, e) ->
            e instanceof BackendException known && known.outcome() == Outcome.NOT_EXECUTED)
        .join();
  }

  @Test
  @DisplayName("B1: without a connection a call is refused at once and does not run later")
  void withoutAConnectionNothingRuns() throws Exception {
    proxy.refuse();
    proxy.cut();
    Fixture.await(
        "the loss is noticed",
        () -> failure(() -> backend.execute(count("seen"))).outcome() == Outcome.NOT_EXECUTED);
    long start = System.nanoTime();
    assertEquals(Outcome.NOT_EXECUTED, failure(() -> backend.execute(count("k"))).outcome());
    assertEquals(Outcome.NOT_EXECUTED, failure(backend.executeAsync(count("k"))).outcome());
    assertEquals(
        Outcome.NOT_EXECUTED, failure(backend.executeAll(List.of(count("k"))).get(0)).outcome());
    assertTrue(Fixture.since(start).compareTo(Duration.ofSeconds(2)) < 0);
    proxy.resume();
    awaitAnswers();

    assertEquals("0", executions("k"));
    assertEquals("0", executions("seen"));
  }

  @Test
  @DisplayName(
      "B2: an abandoned call to a frozen server is not sent in full when NOSCRIPT comes late")
  void aCallGivenUpIsNotSentInFullLater() {
    server.command("SCRIPT", "FLUSH");
    server.pause();
    assertEquals(Outcome.UNKNOWN, failure(() -> backend.execute(count("k", SHORT))).outcome());
    server.resume();
    awaitAnswers();

    assertEquals("0", executions("k"));
  }

  @Test
  @DisplayName("A cancelled call's later reply is dropped; the next call gets its own")
  void aCancelledCallDoesNotDisturbTheNext() throws Exception {
    proxy.stall(TcpProxy.Direction.REPLIES);
    CompletableFuture<List<Object>> cancelled = backend.executeAsync(count("k"));
    CompletableFuture<List<Object>> next = backend.executeAsync(echo("a", "b"));
    assertTrue(cancelled.cancel(true));
    proxy.resume();

    assertEquals(List.of("a", "b"), next.get());
    assertTrue(cancelled.isCancelled());
  }

  @Test
  @DisplayName("B13 for calls: a link whose peer is silently gone is found without a call")
  void aSilentLinkIsFound() {
    proxy.stall();
    Fixture.await("the silent link is dropped", this::lost);
    proxy.cut();
    proxy.resume();
    awaitAnswers();
  }

  private boolean lost() {
    return failure(() -> backend.execute(count("k", SHORT))).outcome() == Outcome.NOT_EXECUTED;
  }

  @Test
  @DisplayName("A killed server that comes back is used again")
  void aServerThatComesBackIsUsedAgain() {
    server.restart();
    awaitAnswers();
  }

  @Test
  @DisplayName(
      "B17: close ends calls in flight as unknown, refuses later ones, and can be repeated")
  void closeEndsCallsInFlight() throws Exception {
    server.pause();
    CompletableFuture<List<Object>> call = backend.executeAsync(count("k"));
    CompletableFuture<BackendException> waiting =
        CompletableFuture.supplyAsync(() -> failure(() -> backend.execute(count("k"))));
    Fixture.await("it waits", () -> waiterIn("execute"));
    long start = System.nanoTime();
    backend.close();
    backend.close();

    assertTrue(Fixture.since(start).compareTo(Duration.ofSeconds(2)) < 0);
    assertEquals(Outcome.UNKNOWN, failure(call).outcome());
    assertEquals(Outcome.UNKNOWN, waiting.get().outcome());
    ScriptCall later = count("k");
    assertEquals(Outcome.NOT_EXECUTED, failure(() -> backend.execute(later)).outcome());
    assertEquals(Outcome.NOT_EXECUTED, failure(backend.executeAsync(later)).outcome());
    assertFalse(call.isCancelled());
    assertNotNull(backend.info());
    server.resume();
  }

  private static boolean waiterIn(String method) {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(java.util.Arrays::stream)
        .anyMatch(frame ->
            frame.getMethodName().equals(method)
                && frame.getClassName().contains("LettuceBackend"));
  }
}
