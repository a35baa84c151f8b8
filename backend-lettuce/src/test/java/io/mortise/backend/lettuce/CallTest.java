package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.echo;
import static io.mortise.backend.lettuce.Fixture.failure;
import static io.mortise.backend.lettuce.Fixture.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls to a server that answers. */
final class CallTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private LockBackend backend;

  @BeforeEach
  void openAndForgetScripts() {
    backend = Fixture.open(REDIS.server().uri());
    REDIS.server().command("FLUSHALL");
    REDIS.server().command("SCRIPT", "FLUSH");
    REDIS.server().resetCounts();
  }

  @AfterEach
  void close() {
    backend.close();
  }

  @Test
  @DisplayName("B7: an unknown script is sent in full once, then by its digest")
  void aScriptUnknownToTheServerIsSentInFullOnce() throws Exception {
    assertEquals(List.of(1L), backend.execute(count("k")));
    assertEquals(List.of(2L), backend.execute(count("k")));
    assertEquals(List.of(3L), backend.executeAsync(count("k")).get());

    assertEquals(3, REDIS.server().commandCounts().get("evalsha"));
    assertEquals(1, REDIS.server().commandCounts().get("eval"));
    assertEquals(3, REDIS.server().commandCounts().get("incr"));
  }

  @Test
  @DisplayName("B8: replies are lists of integers, strings and lists, in order")
  void repliesAreNestedLists() {
    assertEquals(
        List.of(7L, "a", List.of("b", List.of(), List.of(1L)), "last"),
        backend.execute(run("return {7, 'a', {'b', {}, {1}}, 'last'}")));
    assertEquals(List.of(), backend.execute(run("return {}")));
  }

  @Test
  @DisplayName("B9: keys, arguments and replies are UTF-8, in the script's text too")
  void everythingIsUtf8() {
    assertEquals(
        List.of("ключ", "grüße \uD83D\uDD12"), backend.execute(echo("ключ", "grüße \uD83D\uDD12")));
    assertEquals(List.of("Schloß"), backend.execute(run("return {'Schloß'}")));
    assertEquals(List.of("x", ""), backend.execute(echo("x", "")));
  }

  @Test
  @DisplayName("B1: the message is the server's error unchanged, with its code first")
  void anErrorReplyIsReportedUnchanged() throws Exception {
    ScriptCall call = run("return redis.error_reply('FOREIGN not a lock: äöü')");
    BackendException e = failure(() -> backend.execute(call));

    assertEquals(Outcome.REPLIED, e.outcome());
    assertEquals("FOREIGN not a lock: äöü", e.getMessage());
    assertEquals("FOREIGN", e.code());
    BackendException async = failure(backend.executeAsync(call));
    assertEquals(e.getMessage(), async.getMessage());
  }

  @Test
  @DisplayName("B6: of many calls each succeeds or fails by itself")
  void eachOfManyCallsIsByItself() throws Exception {
    List<ScriptCall> calls =
        List.of(count("a"), run("return redis.error_reply('ODD one')"), count("b"), echo("k", "v"));
    List<CompletableFuture<List<Object>>> replies = backend.executeAll(calls);

    assertEquals(List.of(1L), replies.get(0).get());
    assertEquals("ODD one", failure(replies.get(1)).getMessage());
    assertEquals(List.of(1L), replies.get(2).get());
    assertEquals(List.of("k", "v"), replies.get(3).get());
    assertTrue(backend.executeAll(List.of()).isEmpty());
  }

  @Test
  @DisplayName("B2: every one of many concurrent calls runs exactly once")
  void everyOneOfManyConcurrentCallsRunsOnce() throws Exception {
    List<CompletableFuture<List<Object>>> replies = new ArrayList<>();
    Thread other =
        new Thread(() -> IntStream.range(0, 500).forEach(i -> backend.execute(count("k"))));
    other.start();
    for (int i = 0; i < 500; i++) {
      replies.add(backend.executeAsync(count("k")));
    }
    replies.addAll(backend.executeAll(IntStream.range(0, 500).mapToObj(i -> count("k")).toList()));
    CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
    other.join();

    assertEquals("1500", REDIS.server().command("GET", "k"));
  }

  @Test
  @DisplayName("B4: a thread interrupted before a call gets its reply and stays interrupted")
  void anInterruptBeforeTheCallIsKept() throws Exception {
    assertTrue(inNewThread(Thread::new, this::callInterrupted));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  @DisplayName("B4: the same on a virtual thread")
  void anInterruptBeforeTheCallIsKeptOnAVirtualThread() throws Exception {
    assertTrue(inNewThread(CallTest::virtual, this::callInterrupted));
  }

  private boolean callInterrupted() {
    for (int i = 1; i <= 200; i++) {
      Thread.currentThread().interrupt();
      assertEquals(List.of((long) i), backend.execute(count("k")));
      assertTrue(Thread.interrupted());
    }
    assertEquals(List.of(201L), backend.execute(count("k")));
    return !Thread.currentThread().isInterrupted();
  }

  @Test
  @DisplayName("B4: an interrupt during a call is kept until its end")
  void anInterruptDuringTheCallIsKept() throws Exception {
    interruptDuringTheCall(Thread::new);
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  @DisplayName("B4: the same on a virtual thread")
  void anInterruptDuringTheCallIsKeptOnAVirtualThread() throws Exception {
    interruptDuringTheCall(CallTest::virtual);
  }

  private void interruptDuringTheCall(ThreadMaker maker) throws Exception {
    backend.execute(count("k"));
    REDIS.server().pause();
    CompletableFuture<Boolean> result = new CompletableFuture<>();
    CountDownLatch begun = new CountDownLatch(1);
    Thread caller =
        maker.make(() -> {
          begun.countDown();
          boolean replied = backend.execute(count("k")).equals(List.of(2L));
          result.complete(replied && Thread.interrupted());
        });
    caller.start();
    begun.await();
    Fixture.await("the caller waits", () -> caller.getState() == Thread.State.TIMED_WAITING);
    caller.interrupt();
    caller.interrupt();
    assertFalse(result.isDone());
    REDIS.server().resume();

    assertTrue(result.get(20, TimeUnit.SECONDS));
  }

  @Test
  @DisplayName("execute is refused at once on the thread that must read the reply")
  void executeOnTheIoThreadIsRefusedAtOnce() throws Exception {
    long start = System.nanoTime();
    CompletableFuture<Exception> refused = new CompletableFuture<>();
    onIoThread(() ->
        refused.complete(
            assertThrows(IllegalStateException.class, () -> backend.execute(count("k")))));
    Exception e = refused.get(20, TimeUnit.SECONDS);

    assertTrue(Fixture.message(e).contains("nioEventLoop"), e.getMessage());
    assertTrue(Fixture.since(start).compareTo(Fixture.TIMEOUT) < 0);
    assertEquals(List.of(1L), backend.execute(count("k")));
  }

  @Test
  @DisplayName("B5: executeAsync may be called on the I/O thread")
  void executeAsyncMayBeCalledOnTheIoThread() throws Exception {
    CompletableFuture<Future<List<Object>>> nested = new CompletableFuture<>();
    onIoThread(() -> nested.complete(backend.executeAsync(count("k"))));
    assertEquals(List.of(1L), nested.get(20, TimeUnit.SECONDS).get());
  }

  /** Runs a task on the thread that reads a delayed reply. */
  private void onIoThread(Runnable task) {
    REDIS.server().pause();
    CompletableFuture<List<Object>> first = backend.executeAsync(echo("k", "v"));
    var unused = first.thenRun(task);
    REDIS.server().resume();
  }

  private static <T> T inNewThread(ThreadMaker maker, Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        maker.make(() -> {
          try {
            result.complete(task.call());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    thread.start();
    return result.get(30, TimeUnit.SECONDS);
  }

  private interface ThreadMaker {
    Thread make(Runnable task);
  }

  /** By reflection, because the tests are compiled for Java 17. */
  private static Thread virtual(Runnable task) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, task);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
