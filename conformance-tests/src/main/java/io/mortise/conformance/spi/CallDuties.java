package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.Rule;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How calls treat their threads and each other. */
abstract class CallDuties extends Duties {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String ADD_ONE =
      "local n = tonumber(redis.call('GET', KEYS[1]) or '0') "
          + "redis.call('SET', KEYS[1], n + 1) return {n + 1}";

  private LockBackend backend;

  CallDuties(BackendConformance suite) {
    super(suite);
  }

  @BeforeEach
  void openBackend() {
    backend = open();
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B4")
  @DisplayName("B4: an interrupted thread gets its reply and stays interrupted")
  void anInterruptedThreadGetsItsReply(ThreadKind kind) throws InterruptedException {
    Crew crew =
        Crew.start(
            kind,
            1,
            number -> {
              for (int i = 0; i < 200; i++) {
                Thread.currentThread().interrupt();
                assertEquals(List.of("x" + i), backend.execute(echo("x" + i)));
                assertTrue(Thread.interrupted(), "the flag was lost");
                assertEquals(List.of("y" + i), backend.execute(echo("y" + i)));
                assertFalse(Thread.interrupted(), "the flag was not set before");
              }
            });
    crew.join(PATIENCE);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B4")
  @DisplayName("B4: a call that fails leaves the interrupt flag as it was")
  void aFailedCallKeepsTheFlag(ThreadKind kind) throws InterruptedException {
    ScriptCall failing = run("return redis.error_reply('MYCODE text')", List.of());
    Crew crew =
        Crew.start(
            kind,
            1,
            number -> {
              Thread.currentThread().interrupt();
              BackendException error =
                  assertThrows(BackendException.class, () -> backend.execute(failing));
              assertEquals(Outcome.REPLIED, error.outcome());
              assertTrue(Thread.interrupted(), "the flag was lost");
            });
    crew.join(PATIENCE);
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B4")
  @DisplayName("B4: an interrupt at any moment of a call neither breaks the call nor gets lost")
  void anInterruptDuringACallIsKept(ThreadKind kind) throws InterruptedException {
    ScriptCall busy = run("local n = 0 for i = 1, 20000 do n = n + i end return {n}", List.of());
    AtomicBoolean calling = new AtomicBoolean();
    AtomicBoolean done = new AtomicBoolean();
    Crew caller =
        Crew.start(
            kind,
            1,
            number -> {
              try {
                for (int i = 0; i < 300; i++) {
                  calling.set(true);
                  assertEquals(List.of(200_010_000L), backend.execute(busy));
                  spinWhile(calling);
                  assertTrue(Thread.interrupted(), "the flag was lost");
                }
              } finally {
                done.set(true);
              }
            });
    while (!done.get()) {
      if (calling.get()) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_500_000));
        caller.first().interrupt();
        calling.set(false);
      }
      LockSupport.parkNanos(20_000); // with pauses, as other tests need the processors
    }
    caller.join(PATIENCE);
  }

  private static void spinWhile(AtomicBoolean condition) {
    while (condition.get()) {
      Thread.onSpinWait();
    }
  }

  @Test
  @Rule("B6")
  @DisplayName("B6: a call that fails inside executeAll fails alone")
  void aFailingCallFailsAlone() {
    String key = name("text");
    backend.execute(run("return {redis.call('SET', KEYS[1], 'v')}", List.of(key)));
    List<CompletableFuture<List<Object>>> futures =
        backend.executeAll(
            List.of(
                echo("first"),
                run("return redis.error_reply('MYCODE text')", List.of()),
                echo("second"),
                run("return {redis.call('HGET', KEYS[1], 'f')}", List.of(key)),
                run("this is not Lua", List.of()),
                echo("third")));
    assertEquals(List.of("first"), Way.await(futures.get(0)));
    assertEquals(List.of("second"), Way.await(futures.get(2)));
    assertEquals(List.of("third"), Way.await(futures.get(5)));
    for (int failed : List.of(1, 3, 4)) {
      BackendException error =
          assertThrows(BackendException.class, () -> Way.await(futures.get(failed)));
      assertEquals(Outcome.REPLIED, error.outcome());
    }
  }

  @Test
  @Rule("B6")
  @DisplayName("B6: executeAll answers in the order of its calls, however many")
  void executeAllKeepsTheOrder() {
    assertEquals(List.of(), backend.executeAll(List.of()));
    Duration patient = Duration.ofSeconds(30); // the test is about the order, not about speed
    List<ScriptCall> calls =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new ScriptCall(ECHO, List.of(), List.of("call" + i), patient))
            .toList();
    List<CompletableFuture<List<Object>>> futures = backend.executeAll(calls);
    assertEquals(calls.size(), futures.size());
    for (int i = 0; i < futures.size(); i++) {
      assertEquals(List.of("call" + i), Way.await(futures.get(i)));
    }
  }

  @Test
  @Rule("B5")
  @DisplayName("B5: cancelling a future disturbs no other call")
  void cancellingDisturbsNoOtherCall() {
    for (int i = 0; i < 50; i++) {
      backend.executeAsync(echo("cancelled")).cancel(true);
      assertEquals(List.of("kept"), Way.await(backend.executeAsync(echo("kept"))));
      assertEquals(List.of("next"), backend.execute(echo("next")));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Rule("B19")
  @DisplayName("B19: every one of many threads gets the replies to its own calls")
  void everyThreadGetsItsOwnReplies(ThreadKind kind) throws InterruptedException {
    Crew crew =
        Crew.start(
            kind,
            16,
            number -> {
              for (int i = 0; i < 150; i++) {
                String text = "thread" + number + "call" + i;
                assertEquals(List.of(text), Way.turn(i).call(backend, echo(text)));
              }
            });
    crew.join(PATIENCE);
  }

  @Test
  @Rule("B10")
  @DisplayName("B10: no script comes between the commands of another")
  void scriptsRunAlone() throws InterruptedException {
    LockBackend other = open();
    ScriptCall call = run(ADD_ONE, List.of(name("n")));
    Crew.run(
        8,
        number -> {
          for (int i = 0; i < 150; i++) {
            Way.turn(i).call(number % 2 == 0 ? backend : other, call);
          }
        });
    assertEquals(List.of(8 * 150 + 1L), backend.execute(call));
  }
}
