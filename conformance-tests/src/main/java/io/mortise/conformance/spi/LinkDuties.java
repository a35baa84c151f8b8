package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls do when the link to the server breaks, stalls or loses replies. */
abstract class LinkDuties extends FaultDuties {
  private static final Duration LONG = Duration.ofSeconds(20);

  LinkDuties(RedisBackendConformance suite) {
    super(suite);
  }

  @ParameterizedTest
  @EnumSource
  @Rule({"B1", "B2"})
  @DisplayName("B1: a call whose link breaks after it ran is UNKNOWN, and is not sent again")
  void theLinkBreaksBeforeTheReply(Way way) throws InterruptedException {
    LockBackend backend = viaProxy();
    way.call(backend, increment(name("known")));
    proxy.stall(Direction.REPLIES);
    Crew caller = inFlight(way, backend, Outcome.UNKNOWN);
    proxy.cut();
    proxy.resume();
    // This must be long before the call's timeout.
    caller.join(Await.patience());
    settle(backend);
    assertEquals(1, count(name("n")));
  }

  /** A thread whose call has run on the server, and must end with this outcome. */
  private Crew inFlight(Way way, LockBackend backend, Outcome outcome) {
    ScriptCall call = within(LONG, increment(name("n")));
    Crew caller =
        Crew.start(
            ThreadKind.PLATFORM,
            1,
            number -> {
              BackendException error =
                  assertThrows(BackendException.class, () -> way.call(backend, call));
              assertEquals(outcome, error.outcome(), error::toString);
            });
    Await.until("the call has run", () -> count(name("n")) == 1);
    return caller;
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B17")
  @DisplayName("B17: close ends a call in flight, as UNKNOWN")
  void closeEndsACallInFlight(Way way) throws InterruptedException {
    LockBackend backend = viaProxy();
    way.call(backend, increment(name("known")));
    proxy.stall(Direction.REPLIES);
    Crew caller = inFlight(way, backend, Outcome.UNKNOWN);
    backend.close();
    caller.join(Await.patience());
    assertEquals(1, count(name("n")));
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B2")
  @DisplayName("B2: a call whose link breaks before it arrived does not run later")
  void theLinkBreaksBeforeTheRequest(Way way) throws InterruptedException {
    LockBackend backend = viaProxy();
    way.call(backend, increment(name("known")));
    proxy.stall(Direction.REQUESTS);
    ScriptCall call = brief(increment(name("n")));
    BackendException error = failsInTime(call, () -> way.call(backend, call));
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
    proxy.cut();
    proxy.resume();
    settle(backend);
    assertEquals(0, count(name("n")));
  }

  @Test
  @Rule({"B2", "B3"})
  @DisplayName("B2: calls given up while there was no link never run later")
  void callsWithoutALinkNeverRunLater() throws InterruptedException {
    LockBackend backend = viaProxy();
    proxy.refuse();
    proxy.cut();
    Ledger ledger = new Ledger(backend, name("n"), BRIEF);
    for (int i = 0; i < 3; i++) {
      ledger.callAtOnce(12);
    }
    assertEquals(0, ledger.answered());
    assertEquals(0, ledger.with(Outcome.REPLIED));
    proxy.resume();
    settle(backend);
    ledger.assertNoneRan(this::count);
  }

  @Test
  @Rule({"B1", "B2"})
  @DisplayName("B2: calls that a stalled link delays run at most once")
  void callsHeldUpRunOnceAtMost() throws InterruptedException {
    LockBackend backend = viaProxy();
    proxy.stall(Direction.REQUESTS);
    Ledger ledger = new Ledger(backend, name("n"), BRIEF);
    ledger.callAtOnce(24);
    proxy.resume();
    settle(backend);
    ledger.assertTruthful(this::count);
  }

  @Test
  @Rule({"B1", "B2"})
  @DisplayName("B1: with links cut again and again every outcome is true")
  void cutsUnderLoad() throws InterruptedException {
    LockBackend backend = viaProxy();
    Ledger ledger = new Ledger(backend, name("n"), TIMEOUT);
    Crew crew =
        Crew.start(
            ThreadKind.PLATFORM,
            6,
            number -> {
              for (int i = 0; i < 120; i++) {
                ledger.call(1_000 * number + i);
              }
            });
    for (int i = 0; i < 20; i++) {
      long before = ledger.size();
      Await.until("calls go on", () -> ledger.size() > before + 10 || ledger.size() == 720);
      proxy.cut();
    }
    crew.join(Duration.ofSeconds(60));
    settle(backend);
    ledger.assertTruthful(this::count);
    assertTrue(ledger.answered() > 0, ledger::toString);
  }

  @Test
  @Rule({"B1", "B3"})
  @DisplayName("B1: a call whose reply is lost is UNKNOWN in time")
  void aLostReply() throws InterruptedException {
    LockBackend backend = viaProxy();
    backend.execute(increment(name("known")));
    proxy.dropReplies();
    ScriptCall call = brief(increment(name("n")));
    BackendException error = failsInTime(call, () -> backend.execute(call));
    assertEquals(Outcome.UNKNOWN, error.outcome(), error::toString);
    proxy.cut();
    proxy.resume();
    settle(backend);
    assertEquals(1, count(name("n")));
  }

  @Test
  @Rule({"B1", "B19"})
  @DisplayName("B1: a late reply is never taken for the reply of another call")
  void aLateReplyIsForNoOtherCall() throws InterruptedException {
    LockBackend backend = viaProxy();
    for (int round = 0; round < 3; round++) {
      proxy.delay(Direction.REPLIES, Duration.ofMillis(900));
      for (int i = 0; i < 3; i++) {
        ScriptCall late = within(Duration.ofMillis(250), echo("late" + i));
        assertThrows(BackendException.class, () -> backend.execute(late));
      }
      proxy.delay(Direction.REPLIES, Duration.ZERO);
      for (int i = 0; i < 30; i++) {
        String text = "round" + round + "call" + i;
        try {
          assertEquals(List.of(text), Way.turn(i).call(backend, echo(text)));
        } catch (BackendException e) {
          // The connection was abandoned with its late reply.
          assertEquals(Outcome.UNKNOWN, e.outcome(), e::toString);
        }
      }
      awaitWorking(backend);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B4")
  @DisplayName("B4: a thread interrupted during its call gets the reply, and stays interrupted")
  void interruptedWhileTheCallIsOut(ThreadKind kind) throws InterruptedException {
    LockBackend backend = viaProxy();
    backend.execute(increment(name("known")));
    proxy.stall(Direction.REPLIES);
    ScriptCall call = within(LONG, increment(name("n")));
    Crew caller =
        Crew.start(
            kind,
            1,
            number -> {
              assertEquals(List.of(1L), backend.execute(call));
              assertTrue(Thread.interrupted(), "the flag was lost");
            });
    Await.until("the call has run", () -> count(name("n")) == 1);
    caller.first().interrupt();
    // The interrupt must not end the call. A test cannot wait for the absence of an end.
    Thread.sleep(300);
    proxy.resume();
    caller.join(Await.patience());
    assertEquals(1, count(name("n")));
  }

  @Test
  @Rule({"B3", "B5"})
  @DisplayName("B3: on a silent link calls, batches and futures all end in time")
  void aSilentLink() throws InterruptedException {
    LockBackend backend = viaProxy();
    proxy.stall();
    Ledger ledger = new Ledger(backend, name("n"), BRIEF);
    // Long enough that the client abandons connections and makes new ones, which hang too.
    for (int i = 0; i < 3; i++) {
      ledger.callAtOnce(12);
    }
    assertEquals(0, ledger.answered());
    proxy.cut();
    proxy.resume();
    settle(backend);
    ledger.assertTruthful(this::count);
  }

  @Test
  @Rule("B13")
  @DisplayName(
      "B13: a link on which replies come is not broken, however long the queue of calls is")
  void aLongQueue() {
    LockBackend backend = viaProxy();
    // Each script keeps the server busy for about a hundredth of a second. It is too long for the
    // server to read it together with the next one, or else it would send all replies at the end. A
    // new connection is served after one call of each other connection. That is well within its
    // timeout, even on a busy machine.
    String words = "x".repeat(20_000);
    ScriptCall slow =
        within(Duration.ofMinutes(3), run("for i = 1, 2e6 do end return {1}", List.of(), words));
    List<CompletableFuture<List<Object>>> calls =
        IntStream.range(0, 480).mapToObj(i -> backend.executeAsync(slow)).toList();
    for (CompletableFuture<List<Object>> call : calls) {
      assertEquals(List.of(1L), call.join());
    }
  }
}
