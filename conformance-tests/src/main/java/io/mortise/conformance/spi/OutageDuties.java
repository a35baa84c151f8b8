package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RespException;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls do while the server is frozen or down. */
abstract class OutageDuties extends FaultDuties {
  private static final String SLOW = "local n = 0 for i = 1, 300000 do n = n + i end return {n}";

  OutageDuties(RedisBackendConformance suite) {
    super(suite);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B1", "B3", "B5"})
  @DisplayName("B3: with a frozen server a call ends in time; UNKNOWN, for it was sent")
  void aFrozenServer(Way way) throws InterruptedException {
    LockBackend backend = direct();
    way.call(backend, echo("x"));
    server.pause();
    ScriptCall call = brief(increment(name("n")));
    BackendException error = failsInTime(call, () -> way.call(backend, call));
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
    server.resume();
    settle(backend);
    assertTrue(count(name("n")) <= 1, "B2: it ran twice");
  }

  @Test
  @Rule({"B1", "B2", "B3"})
  @DisplayName("B3: with a frozen server many calls at once all end in time with true outcomes")
  void manyCallsToAFrozenServer() throws InterruptedException {
    LockBackend backend = direct();
    server.pause();
    Ledger ledger = new Ledger(backend, name("n"), BRIEF);
    ledger.callAtOnce(48);
    assertEquals(0, ledger.answered());
    assertEquals(0, ledger.with(Outcome.REPLIED));
    server.resume();
    settle(backend);
    ledger.assertTruthful(this::count);
  }

  @Test
  @Rule("B5")
  @DisplayName("B5: with a frozen server executeAsync and executeAll return at once")
  void asyncCallsToAFrozenServerReturnAtOnce() {
    LockBackend backend = direct();
    server.pause();
    ScriptCall call = within(Duration.ofSeconds(8), increment(name("n")));
    List<CompletableFuture<List<Object>>> futures = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      futures.add(backend.executeAsync(call));
      futures.addAll(backend.executeAll(List.of(call, call)));
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertTrue(took.compareTo(SLACK) < 0, () -> "making the calls took " + took);
    }
    server.resume();
    futures.forEach(Way::await);
    assertEquals(60, count(name("n")));
  }

  @Test
  @Rule({"B3", "B5"})
  @DisplayName("B5: futures behind abandoned calls complete when the server goes on")
  void futuresBehindCallsGivenUp() throws InterruptedException {
    LockBackend backend = direct();
    // Opens as many connections as the backend ever uses.
    Crew.run(16, number -> backend.execute(run(SLOW, List.of())));
    server.pause();
    Crew callers =
        Crew.start(
            ThreadKind.PLATFORM,
            16,
            number -> {
              ScriptCall call = within(BRIEF.multipliedBy(3), increment(name("n")));
              assertThrows(BackendException.class, () -> backend.execute(call));
            });
    // A test cannot observe that all of them are sent.
    Thread.sleep(BRIEF.toMillis());
    List<CompletableFuture<List<Object>>> behind = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      behind.add(backend.executeAsync(within(Duration.ofSeconds(12), increment(name("behind")))));
    }
    callers.join(Await.patience());
    server.resume();
    behind.forEach(Way::await);
    assertEquals(16, count(name("behind")));
  }

  @Test
  @Rule({"B1", "B3"})
  @DisplayName("B1: with the server down calls end in time, and soon all as NOT_EXECUTED")
  void aServerThatIsDown() throws InterruptedException {
    LockBackend backend = direct();
    server.kill();
    Ledger first = new Ledger(backend, name("first"), BRIEF);
    // The first calls may still use a connection whose end was not noticed yet.
    first.callAtOnce(30);
    Ledger later = new Ledger(backend, name("later"), BRIEF);
    later.callAtOnce(30);
    assertEquals(30, later.with(Outcome.NOT_EXECUTED), later::toString);
    server.restart();
    settle(backend);
    first.assertNoneRan(this::count);
    later.assertNoneRan(this::count);
  }

  @Test
  @Rule({"B1", "B3"})
  @DisplayName("B1: a call to a server that is killed while it runs the call is UNKNOWN, in time")
  void killedWhileItRunsTheCall() {
    LockBackend backend = direct();
    server.command("CONFIG", "SET", "lua-time-limit", "100");
    ScriptCall call = within(Duration.ofSeconds(6), run("while true do end", List.of()));
    long start = System.nanoTime();
    CompletableFuture<List<Object>> reply = backend.executeAsync(call);
    Await.until("the server runs the script", this::isBusy);
    server.kill();
    BackendException error = assertThrows(BackendException.class, () -> Way.await(reply));
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
    assertInTime(start, call);
    server.restart();
    awaitWorking(backend);
  }

  /** What a server says to others while a script takes longer than its limit. */
  private boolean isBusy() {
    try {
      Object unused = server.command("PING");
      return false;
    } catch (RespException e) {
      return String.valueOf(e.getMessage()).startsWith("BUSY");
    }
  }

  @OnEachServer
  @ParameterizedTest
  @EnumSource
  @Rule({"B2", "B7"})
  @DisplayName("B7: after a restart the backend works again by itself, its scripts included")
  void afterARestartItWorks(Way way) {
    LockBackend backend = direct();
    way.call(backend, increment(name("n")));
    server.restart();
    awaitWorking(backend);
    assertEquals(List.of(1L), way.call(backend, increment(name("n"))));
  }

  @OnEachServer
  @Test
  @Rule("B2")
  @DisplayName(
      "B2: through kills and restarts no call runs twice, and no abandoned call runs later")
  void killsUnderLoad() throws InterruptedException {
    LockBackend backend = direct();
    for (int round = 0; round < 3; round++) {
      Ledger ledger = new Ledger(backend, name("r" + round), BRIEF);
      server.kill();
      ledger.callAtOnce(12);
      server.restart();
      settle(backend);
      ledger.assertNoneRan(this::count);
    }
  }

  @Test
  @Rule("B7")
  @DisplayName("B7: after SCRIPT FLUSH a known script still runs, exactly once")
  void afterScriptFlush() {
    LockBackend backend = direct();
    for (Way way : Way.values()) {
      way.call(backend, increment(name(way.name())));
      server.command("SCRIPT", "FLUSH");
      assertEquals(List.of(2L), way.call(backend, increment(name(way.name()))));
    }
  }

  @Test
  @Rule({"B2", "B7"})
  @DisplayName("B7: a known script is sent by EVALSHA, one command a call")
  void aKnownScriptIsOneCommand() {
    LockBackend backend = direct();
    Way.ASYNC.call(backend, increment(name("n")));
    server.resetCounts();
    for (int i = 0; i < 5; i++) {
      Way.turn(i).call(backend, increment(name("n")));
    }
    assertEquals(5L, server.commandCounts().get("evalsha"), server.commandCounts()::toString);
    assertEquals(5L, server.commandCounts().get("incr"), server.commandCounts()::toString);
    assertEquals(null, server.commandCounts().get("eval"), server.commandCounts()::toString);
  }
}
