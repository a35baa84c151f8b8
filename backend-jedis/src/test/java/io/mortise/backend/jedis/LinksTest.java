package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.echo;
import static io.mortise.backend.jedis.Fixture.open;
import static io.mortise.backend.jedis.Fixture.runsThread;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.redis.TcpProxy.Direction;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisDataException;

/** Connections that end at an awkward moment, and threads that must not wait for them. */
class LinksTest {
  private static final Duration TIME = Duration.ofSeconds(2);

  private RedisServer server;
  private TcpProxy proxy;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    proxy = TcpProxy.to(server);
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  /** A pool of an application, whose connections Jedis makes again by itself. */
  private ConnectionPool pool() {
    HostAndPort address = new HostAndPort(proxy.uri().getHost(), proxy.port());
    return new ConnectionPool(
        address, DefaultJedisClientConfig.builder().resp3().build(), new ConnectionPoolConfig());
  }

  private void becomeFar(LockBackend backend) {
    proxy.delay(Direction.REPLIES, Duration.ofMillis(150));
    await(
        "calls share a connection",
        () -> {
          assertWorks(backend);
          return runsThread(ReaderTime.READER);
        });
  }

  @Test
  @DisplayName("B1: no call over a far link that failed gets the reply of another")
  void noCallGetsTheReplyOfAnother() throws InterruptedException {
    try (ConnectionPool pool = pool();
        LockBackend backend = JedisBackend.of(pool)) {
      becomeFar(backend);
      CountDownLatch held = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      CompletableFuture<?> unused =
          backend
              .executeAsync(echo("first", TIME))
              .thenRun(() -> {
                held.countDown();
                awaitQuietly(released);
              });
      assertTrue(held.await(10, TimeUnit.SECONDS));
      List<CompletableFuture<List<Object>>> calls = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        if (i == 5) {
          proxy.cut();
        }
        calls.add(backend.executeAsync(echo("n" + i, TIME)));
        Thread.sleep(30);
      }
      released.countDown();
      for (int i = 0; i < calls.size(); i++) {
        String expected = "n" + i;
        List<Object> reply = replyOrNone(calls.get(i));
        assertTrue(
            reply.isEmpty() || reply.equals(List.of(expected)), () -> expected + " got " + reply);
      }
      assertEquals(List.of("n29"), replyOrNone(calls.get(29)));
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Object> replyOrNone(CompletableFuture<List<Object>> call) {
    try {
      return call.join();
    } catch (CompletionException e) {
      return List.of();
    }
  }

  @Test
  @DisplayName("B4: a callback on the thread that reads a far server's replies must not wait")
  void theReaderIsRefused() {
    try (LockBackend backend = open(proxy.uri())) {
      becomeFar(backend);
      AtomicReference<Throwable> refusal = new AtomicReference<>();
      backend
          .executeAsync(echo("x", TIME))
          .thenRun(() ->
              refusal.set(
                  assertThrows(
                      IllegalStateException.class, () -> backend.execute(echo("y", TIME)))))
          .join();
      assertTrue(String.valueOf(refusal.get()).contains(ReaderTime.READER), refusal::toString);
      backend.time().checkMayPark();
    }
  }

  @Test
  @DisplayName("B3: the patience of a caller covers the end of the connections that rested")
  void patienceCoversAnEndedRest() throws Throwable {
    try (LockBackend backend = open(proxy.uri())) {
      assertWorks(backend);
      Thread.sleep(2_000); // a busy thread may be late to give its connection back
      proxy.cut();
      Thread.sleep(1_000); // rests for long enough to be looked at, and hears of its end
      proxy.stall();
      Patience patience = new Patience(Duration.ofMillis(100), false);
      ScriptCall call = echo("x", Duration.ofSeconds(20)).withPatience(patience);
      assertTook(
          Duration.ofSeconds(8),
          () -> assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(call)));
      proxy.cut();
      proxy.resume();
      await("calls work again", () -> isAnswered(backend));
    }
  }

  private static boolean isAnswered(LockBackend backend) {
    try {
      assertWorks(backend);
      return true;
    } catch (BackendException e) {
      return false;
    }
  }

  @Test
  @DisplayName("B20: a refused question leaves the application's timeouts as they were")
  void aRefusedQuestionKeepsTimeouts() throws Exception {
    try (ConnectionPool pool = pool();
        JedisBackend backend = JedisBackend.of(pool)) {
      int before = timeout(pool);
      assertThrows(
          JedisDataException.class,
          () -> backend.ask(Duration.ofMillis(200), "SET", "a key alone"));
      assertEquals(before, timeout(pool));
    }
  }

  private static int timeout(ConnectionPool pool) {
    try (Connection lent = pool.getResource()) {
      return lent.getSoTimeout();
    }
  }
}
