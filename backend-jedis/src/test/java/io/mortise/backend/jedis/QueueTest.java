package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.count;
import static io.mortise.backend.jedis.Fixture.open;
import static io.mortise.backend.jedis.Fixture.runsThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that wait for a thread of the backend. */
class QueueTest {
  private static final Duration LONG = Duration.ofSeconds(6);
  private static final Duration BRIEF = Duration.ofMillis(300);

  private RedisServer server;
  private LockBackend backend;

  @BeforeEach
  void freezeAndFill() {
    server = RedisServer.start();
    backend = open(server.uri());
    assertWorks(backend);
  }

  @AfterEach
  void close() {
    backend.close();
    server.close();
  }

  @Test
  @DisplayName("B1: a call for which no thread could be made is not executed later")
  void withoutAThread() throws ReflectiveOperationException {
    Field field = JedisBackend.class.getDeclaredField("workers");
    field.setAccessible(true);
    ScheduledThreadPoolExecutor workers = (ScheduledThreadPoolExecutor) field.get(backend);
    ThreadFactory before = workers.getThreadFactory();
    await("the threads have ended", () -> workers.getPoolSize() == 0);
    workers.setThreadFactory(task -> {
      throw new LinkageError("unable to create native thread");
    });
    assertFails(Outcome.NOT_EXECUTED, backend.executeAsync(count("first", LONG)));
    workers.setThreadFactory(before);
    assertEquals(List.of(1L), backend.executeAsync(count("second", LONG)).join());
    assertNull(server.command("GET", "first"));
  }

  /** Freezes the server while a call is in flight on each thread and connection of the backend. */
  private List<CompletableFuture<List<Object>>> occupied() {
    String slow = "local n = 0 for i = 1, 300000 do n = n + i end return {n}";
    await(
        "there are as many connections",
        () -> {
          eightTimes(new ScriptCall(Script.of("slow", slow), List.of(), List.of(), LONG))
              .forEach(CompletableFuture::join);
          return String.valueOf(server.command("CLIENT", "LIST")).lines().count() == 9;
        });
    for (int i = 0; i < 10; i++) { // the slow calls say nothing about the distance of the server
      backend.executeAsync(count("quick", LONG)).join();
    }
    server.pause();
    return eightTimes(count("busy", LONG));
  }

  private List<CompletableFuture<List<Object>>> eightTimes(ScriptCall call) {
    return IntStream.range(0, 8).mapToObj(i -> backend.executeAsync(call)).toList();
  }

  @Test
  @DisplayName("B2, B5: a call that times out in the queue ends then, and never runs")
  void aCallGivenUpInTheQueueNeverRuns() throws Throwable {
    List<CompletableFuture<List<Object>>> busy = occupied();
    CompletableFuture<List<Object>> queued = backend.executeAsync(count("queued", BRIEF));
    assertTook(Duration.ofSeconds(3), () -> assertFails(Outcome.NOT_EXECUTED, queued));
    CompletableFuture<List<Object>> cancelled = backend.executeAsync(count("queued", LONG));
    cancelled.cancel(false);
    server.resume();
    busy.forEach(CompletableFuture::join);
    for (int i = 0; i < 20; i++) {
      backend.executeAsync(count("after", LONG)).join();
    }
    assertNull(server.command("GET", "queued"));
  }

  @Test
  @DisplayName("B17: close ends calls in flight as UNKNOWN, and queued ones as not executed")
  void closeEndsThemAll() throws Throwable {
    List<CompletableFuture<List<Object>>> busy = occupied();
    CompletableFuture<List<Object>> queued = backend.executeAsync(count("queued", LONG));
    // By now every call that can be sent is in a socket's buffer.
    Thread.sleep(500);
    assertTook(
        Duration.ofSeconds(3),
        () -> {
          backend.close();
          busy.forEach(call -> assertFails(Outcome.UNKNOWN, call));
          assertFails(Outcome.NOT_EXECUTED, queued);
        });
    server.resume();
    await("the server is back", () -> "PONG".equals(server.command("PING")));
    assertNull(server.command("GET", "queued"));
  }

  @Test
  @DisplayName("B5: a call outlives connections to a silent server, as long as it has time")
  void aCallOutlivesOpeningsInVain() throws Exception {
    server.pause();
    CompletableFuture<List<Object>> busy = backend.executeAsync(count("busy", LONG));
    CompletableFuture<List<Object>> next = backend.executeAsync(count("next", LONG.plus(LONG)));
    Thread.sleep(3_000); // an opening takes two seconds at most
    server.resume();
    assertEquals(List.of(1L), busy.get(20, TimeUnit.SECONDS));
    assertEquals(List.of(1L), next.get(20, TimeUnit.SECONDS));
  }

  @Test
  @DisplayName("B19: idle threads of the backend end")
  void idleThreadsEnd() {
    backend.executeAsync(count("n", LONG)).join();
    await("the workers have ended", () -> !runsThread("mortise-jedis-worker"));
  }
}
