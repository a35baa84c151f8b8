package io.mortise.backend.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.DistributedLock;
import io.mortise.LockService;
import io.mortise.backend.support.Causes;
import io.mortise.conformance.client.TestedVersion;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Crew;
import io.mortise.conformance.support.ThreadKind;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.CredentialSuppliers;
import io.mortise.spi.Credentials;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Script;
import io.mortise.spi.ScriptCall;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is special of Vert.x: event loops, and what this backend does not serve. */
@Tag("ci")
class VertxBackendTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private static final String EACH_RUN = "return {redis.call('INCR', KEYS[1])}";

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

  @AfterEach
  void closeVertx() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static BackendConfig config(String uri) {
    return new BackendConfig(URI.create(uri), Duration.ofSeconds(2), "vertx test", Map.of());
  }

  private LockBackend open() {
    return VertxBackend.of(vertx, config(REDIS.server().uri().toString()));
  }

  private static ScriptCall count(String key, Duration timeout) {
    return new ScriptCall(Script.of("count", EACH_RUN), List.of(key), List.of(), timeout);
  }

  /** Runs a task on the event loop, and returns what it throws. */
  private Throwable thrown(Runnable task) {
    CompletableFuture<?> end = new CompletableFuture<>();
    vertx.runOnContext(ignored -> {
      try {
        task.run();
        end.complete(null);
      } catch (RuntimeException e) {
        end.completeExceptionally(e);
      }
    });
    return Causes.of(assertThrows(CompletionException.class, end::join));
  }

  @Test
  void aCallOnAnEventLoopIsRefusedByName() {
    try (LockBackend backend = open()) {
      ScriptCall call = count("refused", Duration.ofSeconds(2));
      for (Runnable task : List.<Runnable>of(() -> backend.execute(call), () -> open().close())) {
        Throwable refusal = thrown(task);
        assertEquals(IllegalStateException.class, refusal.getClass());
        assertTrue(
            String.valueOf(refusal.getMessage()).contains("vert.x-eventloop-thread-0 must not"),
            refusal::toString);
      }
    }
  }

  @Test
  void theNameOfAnEventLoopIsShownOnOneLine() {
    Throwable refusal =
        thrown(() -> {
          Thread.currentThread().setName("loop\n42");
          Loop.requireMayWait();
        });
    assertTrue(
        String.valueOf(refusal.getMessage()).startsWith("the thread loop\\u000a42 must not wait"),
        refusal::toString);
  }

  @Test
  void theApplicationsVertxGoesOnAfterClose() {
    open().close();
    try (LockBackend again = open()) {
      assertEquals(List.of(1L), again.execute(count("goes on", Duration.ofSeconds(5))));
    }
  }

  @Test
  void aWorkerThreadOpensAndCalls() {
    Callable<List<Object>> work =
        () -> {
          try (LockBackend backend = open()) {
            return backend.execute(count("worker", Duration.ofSeconds(5)));
          }
        };
    assertEquals(
        List.of(1L), vertx.executeBlocking(work).toCompletionStage().toCompletableFuture().join());
  }

  @Test
  void aCallEndsAtItsDeadlineAlthoughTheEventLoopStandsStill() {
    CountDownLatch end = new CountDownLatch(1);
    try (LockBackend backend = open()) {
      vertx.runOnContext(ignored -> {
        try {
          end.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      });
      ScriptCall call = count("stands still", Duration.ofMillis(300));
      BackendException waited = assertThrows(BackendException.class, () -> backend.execute(call));
      CompletableFuture<?> reply = backend.executeAsync(call);
      Await.until("the future fails", reply::isDone);
      assertEquals(Outcome.NOT_EXECUTED, waited.outcome());

      end.countDown();
      assertEquals(
          List.of(1L), backend.execute(count("stands still", Duration.ofSeconds(5))), "B2");
    } finally {
      end.countDown();
    }
  }

  @Test
  void callsOnAClosedVertxAreNotExecuted() {
    LockBackend backend = open();
    closeVertx();
    BackendException failure =
        assertThrows(
            BackendException.class, () -> backend.execute(count("closed", Duration.ofSeconds(5))));
    assertEquals(Outcome.NOT_EXECUTED, failure.outcome());
    backend.close();
  }

  @Test
  void closeWaitsForNothingOnAnEventLoopOfAnotherVertx() {
    // A close that waits takes a second each time. A busy machine may slow down some of them.
    long second = TimeUnit.SECONDS.toNanos(1);
    assertTrue(
        LongStream.generate(this::closeOnTheOtherLoop).limit(5).anyMatch(took -> took < second));
  }

  /** Closes a backend whose own event loop and supplier of credentials stand still. */
  private long closeOnTheOtherLoop() {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(2);
    AtomicBoolean isOpen = new AtomicBoolean();
    Supplier<Credentials> supplier =
        () -> {
          if (isOpen.get()) {
            hold(held, end);
          }
          return Credentials.of("");
        };
    BackendConfig config =
        new BackendConfig(
            REDIS.server().uri(),
            Duration.ofSeconds(2),
            "vertx test",
            Map.of(),
            new CredentialSuppliers(supplier, null));
    LockBackend backend = new VertxBackendProvider().open(config);
    isOpen.set(true);
    Runnable onItsLoop =
        () -> {
          if (Context.isOnEventLoopThread()) { // a future that is done runs it at once
            hold(held, end);
          }
        };
    try {
      Await.until(
          "both stand still",
          () -> {
            CompletableFuture<?> unused =
                backend.executeAsync(count("held", Duration.ofSeconds(2))).thenRun(onItsLoop);
            return held.getCount() == 0;
          });
      CompletableFuture<Long> took = new CompletableFuture<>();
      vertx.runOnContext(ignored -> {
        long start = System.nanoTime();
        backend.close();
        took.complete(System.nanoTime() - start);
      });
      return Await.value(took);
    } finally {
      end.countDown();
    }
  }

  /** Stands still until the end. Interrupts do not end it. */
  private static void hold(CountDownLatch held, CountDownLatch end) {
    held.countDown();
    while (end.getCount() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void overTlsAHalfWrittenFileFailsCallsUntilItIsWhole() throws IOException {
    assumeTrue(TlsServer.isPossible(), "there is no openssl");
    try (TestAuthority authority = TestAuthority.create()) {
      Path file = authority.certificate();
      List<String> words = authority.arguments(authority.sign("server", "DNS:localhost"), false);
      BackendConfig config =
          new BackendConfig(
              URI.create("rediss://localhost:" + words.get(1)),
              Duration.ofSeconds(2),
              "vertx test",
              Map.of("tls.ca", file.toString()));
      try (RedisServer server =
              RedisServer.builder().arguments(words.toArray(String[]::new)).start();
          LockBackend backend = new VertxBackendProvider().open(config)) {
        assertEquals(List.of(1L), backend.execute(count("tls", Duration.ofSeconds(5))));
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        server.command("CLIENT", "KILL", "TYPE", "normal");
        Await.until("calls fail by the file", () -> failure(backend).contains("'tls.ca'"));
        Files.write(file, whole);
        Await.until("it works again", () -> failure(backend).isEmpty());
      }
    }
  }

  /** All messages of a call's failure; none if it has a reply. */
  private static String failure(LockBackend backend) {
    try {
      backend.execute(count("fails", Duration.ofSeconds(2)));
      return "";
    } catch (BackendException e) {
      return Stream.<Throwable>iterate(e, Objects::nonNull, Throwable::getCause)
          .map(String::valueOf)
          .collect(Collectors.joining("; "));
    }
  }

  private static String refusal(String uri) {
    return String.valueOf(
        assertThrows(
                IllegalArgumentException.class, () -> new VertxBackendProvider().open(config(uri)))
            .getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-cluster://localhost", "rediss-sentinel://localhost#m"})
  void clustersAndSentinelsAreRefused(String uri) {
    String refusal = refusal(uri);
    assertTrue(refusal.contains("serves a single server; write redis://host:port"), refusal);
  }

  @Test
  void aHostThatVertxCannotReadIsRefused() {
    String refusal = refusal("redis://my_host:6379");
    assertTrue(refusal.contains("redis://my_host:6379/0; write its IP address"), refusal);
  }

  @Test
  void theCompatibilityPageHasTheVersionThatRuns() {
    List<TestedVersion> rows = TestedVersion.of(Path.of("../../docs/compatibility.md"), "Vert.x");
    String running = Redis.class.getProtectionDomain().getCodeSource().toString();
    assertEquals(1, rows.size(), rows::toString);
    assertTrue(running.contains("-" + rows.get(0).version() + ".jar"), running);
  }

  @Test
  void twoServicesExcludeEachOther() throws InterruptedException {
    String uri = REDIS.server().uri().toString();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger turns = new AtomicInteger();
    try (LockService one = LockService.open(uri, "vertx");
        LockService other = LockService.open(uri, "vertx")) {
      Crew.start(
              ThreadKind.PLATFORM,
              4,
              number -> {
                DistributedLock lock = (number % 2 == 0 ? one : other).getLock("exclude");
                for (int i = 0; i < 25; i++) {
                  lock.lock();
                  try {
                    assertEquals(1, inside.incrementAndGet());
                    turns.incrementAndGet();
                    inside.decrementAndGet();
                  } finally {
                    lock.unlock();
                  }
                }
              })
          .join(Await.patience());
    }
    assertEquals(100, turns.get());
  }
}
