package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.count;
import static io.mortise.backend.jedis.Fixture.echo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.executors.RetryableCommandExecutor;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.ManagedConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** A backend around the caller's own client. */
class HandedClientTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();
  private static final Duration BRIEF = Duration.ofMillis(300);
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private RedisClient client = client(8, RedisProtocol.RESP3);
  private LockBackend backend = JedisBackend.of(client);

  private static RedisClient client(int connections, RedisProtocol protocol) {
    return client(REDIS.server(), connections, protocol);
  }

  private static RedisClient client(RedisServer server, int connections, RedisProtocol protocol) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(connections);
    return RedisClient.builder()
        .hostAndPort(server.host(), server.port())
        .clientConfig(DefaultJedisClientConfig.builder().protocol(protocol).build())
        .poolConfig(pool)
        .build();
  }

  private void use(RedisClient other) {
    close();
    client = other;
    backend = JedisBackend.of(other);
  }

  @AfterEach
  void close() {
    backend.close();
    client.close();
  }

  @Test
  @DisplayName("B17: closing the backend leaves the caller's client open")
  void closingLeavesTheClientOpen() {
    assertWorks(backend);
    backend.close();
    backend.close();
    assertEquals("PONG", client.ping());
    assertEquals(0, client.getPool().getNumActive());
    assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(echo("x", BRIEF)));
    assertFails(Outcome.NOT_EXECUTED, () -> backend.subscribe("channel", new Recorder()));
  }

  @Test
  @DisplayName("B18: the endpoint is the client's address")
  void theEndpointIsTheAddress() {
    String address = REDIS.server().host() + ':' + REDIS.server().port();
    assertEquals(address, backend.info().endpoint());
  }

  @Test
  @DisplayName("B3: a client that hides its pool, or repeats commands, is refused")
  void otherClientsAreRefused() {
    RedisServer server = REDIS.server();
    ConnectionProvider pooled =
        new PooledConnectionProvider(new HostAndPort(server.host(), server.port()));
    RetryableCommandExecutor retrying =
        new RetryableCommandExecutor(pooled, 3, Duration.ofSeconds(1));
    RedisProtocol protocol = RedisProtocol.RESP3;
    try (UnifiedJedis bare = new UnifiedJedis(retrying, pooled, protocol, null) {};
        RedisClient unpooled =
            RedisClient.builder()
                .clientConfig(DefaultJedisClientConfig.builder().protocol(protocol).build())
                .connectionProvider(new ManagedConnectionProvider())
                .build()) {
      for (UnifiedJedis other : List.of(bare, unpooled)) {
        IllegalArgumentException error =
            assertThrows(IllegalArgumentException.class, () -> JedisBackend.of(other));
        assertTrue(String.valueOf(error.getMessage()).contains("RedisClient"), error::toString);
      }
    }
  }

  @Test
  @DisplayName("B1, B3: without a free connection in time a call is not executed")
  void anExhaustedPool() throws Throwable {
    use(client(1, RedisProtocol.RESP3));
    try (Connection taken = client.getPool().getResource()) {
      assertTrue(taken.isConnected());
      Duration most = Duration.ofSeconds(3);
      assertTook(
          most,
          () -> assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(count("none", BRIEF))));
      assertTook(
          most,
          () -> assertFails(Outcome.NOT_EXECUTED, backend.executeAsync(count("none", BRIEF))));
    }
    assertWorks(backend);
    assertNull(client.get("none"));
  }

  @Test
  @DisplayName("B3: who waits for a connection does not make the next one when it breaks")
  void theConnectionBreaksWhileOneWaits() throws Throwable {
    try (RedisServer frozen = RedisServer.start();
        RedisClient other = client(frozen, 1, RedisProtocol.RESP3);
        LockBackend waiting = JedisBackend.of(other)) {
      Connection taken = other.getPool().getResource();
      CompletableFuture<?> breaking =
          CompletableFuture.runAsync(() -> {
            await("the call waits", () -> other.getPool().getNumWaiters() == 1);
            frozen.pause();
            taken.setBroken();
            taken.close(); // which makes another, and waits for the server's greeting
          });
      assertTook(
          Duration.ofSeconds(1),
          () -> assertFails(Outcome.NOT_EXECUTED, () -> waiting.execute(count("none", BRIEF))));
      frozen.resume();
      breaking.handle((done, e) -> done).join();
    }
  }

  @Test
  @DisplayName("B4: an interrupt does not end the wait for a pooled connection, and is kept")
  void interruptedWhileThePoolIsExhausted() throws InterruptedException {
    use(client(1, RedisProtocol.RESP3));
    Connection taken = client.getPool().getResource();
    AtomicBoolean kept = new AtomicBoolean();
    Thread caller =
        new Thread(() -> {
          assertWorks(backend);
          kept.set(Thread.currentThread().isInterrupted());
        });
    caller.start();
    for (int i = 0; i < 3; i++) {
      await("the caller waits", () -> WAITING.contains(caller.getState()));
      caller.interrupt();
    }
    taken.close();
    caller.join(10_000);
    assertTrue(kept.get());
  }

  @Test
  @DisplayName("B3: a call's timeout does not stay on the connection")
  void theTimeoutIsRestored() {
    for (int i = 0; i < 3; i++) {
      assertEquals(List.of("x"), backend.execute(echo("x", Duration.ofSeconds(77))));
      client.set("text", "not a number");
      assertFails(Outcome.REPLIED, () -> backend.execute(count("text", Duration.ofSeconds(77))));
    }
    try (Connection connection = client.getPool().getResource()) {
      assertEquals(2_000, connection.getSoTimeout());
    }
  }

  @Test
  @DisplayName("B19: messages take no connection of the pool")
  void messagesTakeNoPooledConnection() {
    use(client(1, RedisProtocol.RESP3));
    Recorder recorder = new Recorder();
    backend.subscribe("channel", recorder);
    recorder.await(1);
    assertWorks(backend);
    assertEquals(1L, client.publish("channel", "hello"));
    recorder.await(2);
    assertEquals(List.of("+", "hello"), recorder.events);
  }

  @Test
  @DisplayName("B8, B11: a client that speaks RESP2 serves as well, messages and pings included")
  void aClientOfResp2() throws InterruptedException {
    use(client(8, RedisProtocol.RESP2));
    assertWorks(backend);
    Recorder recorder = new Recorder();
    backend.subscribe("channel", recorder);
    recorder.await(1);
    // Longer than the silence after which a connection counts as dead.
    Thread.sleep(4_000);
    assertEquals(1L, client.publish("channel", "hello"));
    recorder.await(2);
    assertEquals(List.of("+", "hello"), recorder.events);
  }

  @Test
  @DisplayName("B5: many futures on few connections all end, each with its own reply")
  void manyFutures() {
    use(client(2, RedisProtocol.RESP3));
    List<CompletableFuture<List<Object>>> futures =
        IntStream.range(0, 200)
            .mapToObj(i -> backend.executeAsync(echo("text" + i, Duration.ofSeconds(20))))
            .toList();
    for (int i = 0; i < 200; i++) {
      assertEquals(List.of("text" + i), futures.get(i).join());
    }
  }
}
