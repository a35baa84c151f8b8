package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.await;
import static io.mortise.backend.jedis.Fixture.count;
import static io.mortise.backend.jedis.Fixture.echo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.DistributedLock;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.ScriptCall.Patience;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionFactory;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** A backend on an application's own client. */
class HandedClientTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();
  private static final Duration BRIEF = Duration.ofMillis(300);
  private static final Duration LONG = Duration.ofSeconds(2);
  private static final Set<Thread.State> WAITING =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

  private ConnectionPool pool = pool(8, RedisProtocol.RESP3);
  private LockBackend backend = JedisBackend.of(pool);

  private static ConnectionPool pool(int connections, RedisProtocol protocol) {
    return pool(REDIS.server(), connections, protocol);
  }

  private static ConnectionPool pool(RedisServer server, int connections, RedisProtocol protocol) {
    ConnectionPoolConfig config = new ConnectionPoolConfig();
    config.setMaxTotal(connections);
    return new ConnectionPool(
        new HostAndPort(server.host(), server.port()),
        DefaultJedisClientConfig.builder().protocol(protocol).build(),
        config);
  }

  private static @Nullable Object command(String... words) {
    return REDIS.server().command(words);
  }

  private void use(ConnectionPool other) {
    close();
    pool = other;
    backend = JedisBackend.of(other);
  }

  @AfterEach
  void close() {
    backend.close();
    pool.close();
  }

  @Test
  @DisplayName("B17: closing the backend leaves the caller's client open")
  void closingLeavesTheClientOpen() {
    assertWorks(backend);
    backend.close();
    backend.close();
    assertEquals(0, pool.getNumActive());
    try (Connection connection = pool.getResource()) {
      assertTrue(connection.ping());
    }
    assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(echo("x", BRIEF)));
    assertFails(Outcome.NOT_EXECUTED, () -> backend.subscribe("channel", new Recorder()));
  }

  @Test
  @DisplayName("B18: the endpoint is the client's address")
  void theEndpointIsTheAddress() {
    String address = REDIS.server().host() + ':' + REDIS.server().port();
    assertEquals(address, backend.info().endpoint());
  }

  @ParameterizedTest
  @MethodSource("io.mortise.backend.jedis.OwnClient#ofThisVersion")
  @DisplayName("B17: a client with a pool of one server works, and stays open")
  void aClientWithAPool(OwnClient kind) {
    try (UnifiedJedis client = kind.open(REDIS.server().uri())) {
      try (LockBackend ofClient = JedisBackend.of(client)) {
        assertWorks(ofClient);
      }
      assertEquals("PONG", client.ping());
    }
  }

  @Test
  @SuppressWarnings("deprecation") // the class to refuse
  @DisplayName("B3: a client that hides its pool, or repeats commands, is refused")
  void otherClientsAreRefused() {
    RedisServer server = REDIS.server();
    HostAndPort address = new HostAndPort(server.host(), server.port());
    try (UnifiedJedis other =
        new UnifiedJedis(new PooledConnectionProvider(address), 3, Duration.ofSeconds(1))) {
      IllegalArgumentException error =
          assertThrows(IllegalArgumentException.class, () -> JedisBackend.of(other));
      assertTrue(String.valueOf(error.getMessage()).contains("RedisClient"), error::toString);
    }
  }

  @Test
  @DisplayName("B1, B3: without a free connection in time a call is not executed")
  void anExhaustedPool() throws Throwable {
    use(pool(1, RedisProtocol.RESP3));
    try (Connection taken = pool.getResource()) {
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
    assertNull(command("GET", "none"));
  }

  @Test
  @DisplayName("B3: if all connections are lent, the caller's patience ends the wait, and says so")
  void patienceEndsTheWaitForAConnection() throws Throwable {
    use(pool(2, RedisProtocol.RESP3));
    try (Connection taken = pool.getResource();
        Connection other = pool.getResource()) {
      assertTrue(taken.isConnected() && other.isConnected());
      ScriptCall patient = count("none", Duration.ofMinutes(1));
      for (boolean interruptible : List.of(true, false)) {
        ScriptCall call = patient.withPatience(new Patience(BRIEF, interruptible));
        assertTook(
            Duration.ofSeconds(20),
            () -> assertLent(assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(call))));
      }
      assertLent(assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(count("none", BRIEF))));
      assertLent(assertFails(Outcome.NOT_EXECUTED, backend.executeAsync(count("none", BRIEF))));
    }
    assertWorks(backend);
    assertNull(command("GET", "none"));
  }

  private static void assertLent(BackendException error) {
    assertTrue(String.valueOf(error.getMessage()).contains("2 of 2 of the pool"), error::toString);
  }

  @Test
  @DisplayName("B4: an interrupt ends the wait for a connection if the caller wants that")
  void anInterruptEndsTheWaitForAConnection() throws InterruptedException {
    use(pool(1, RedisProtocol.RESP3));
    Patience patience = new Patience(Duration.ofMinutes(1), true);
    ScriptCall call = count("none", Duration.ofMinutes(1)).withPatience(patience);
    AtomicBoolean kept = new AtomicBoolean();
    try (Connection taken = pool.getResource()) {
      assertTrue(taken.isConnected());
      Thread caller =
          new Thread(() -> {
            assertFails(Outcome.NOT_EXECUTED, () -> backend.execute(call));
            kept.set(Thread.currentThread().isInterrupted());
          });
      caller.start();
      await("the caller waits", () -> WAITING.contains(caller.getState()));
      caller.interrupt();
      caller.join(20_000);
      assertTrue(kept.get());
    }
    assertNull(command("GET", "none"));
  }

  @Test
  @DisplayName("B3: a call that was sent is waited for, although patience and interrupt end a wait")
  void aCallThatWasSentIsWaitedFor() throws InterruptedException {
    try (RedisServer frozen = RedisServer.start();
        ConnectionPool other = pool(frozen, 1, RedisProtocol.RESP3);
        LockBackend waiting = JedisBackend.of(other)) {
      ScriptCall call = count("n", Duration.ofMinutes(1)).withPatience(new Patience(BRIEF, true));
      AtomicBoolean answered = new AtomicBoolean();
      waiting.execute(count("m", Duration.ofSeconds(5))); // makes the connection
      frozen.pause();
      Thread caller = new Thread(() -> answered.set(List.of(1L).equals(waiting.execute(call))));
      caller.start();
      await("the call is out", () -> other.getNumActive() == 1);
      Thread.sleep(2 * BRIEF.toMillis()); // its patience is over
      caller.interrupt();
      frozen.resume();
      caller.join(20_000);
      assertTrue(answered.get());
    }
  }

  @Test
  @DisplayName("B3, L3: a lock's time limit and interrupts end the wait for a connection")
  void aLockWaitsForAConnection() throws Throwable {
    use(pool(1, RedisProtocol.RESP3));
    try (LockService service =
            LockService.builder()
                .sharedBackend(backend)
                .commandTimeout(Duration.ofMinutes(1))
                .leaseTime(Duration.ofMinutes(4))
                .open();
        Connection taken = pool.getResource()) {
      assertTrue(taken.isConnected());
      DistributedLock lock = service.getLock("lent");
      assertTook(
          Duration.ofSeconds(20),
          () -> {
            LockException error =
                assertThrows(LockException.class, () -> lock.tryLock(1, TimeUnit.SECONDS));
            String message = String.valueOf(error.getMessage());
            assertTrue(message.contains("1 of 1 of the pool"), message);
            assertFalse(message.contains("check that the server runs"), message);
          });
      AtomicBoolean interrupted = new AtomicBoolean();
      Thread caller =
          new Thread(() -> {
            assertThrows(InterruptedException.class, lock::lockInterruptibly);
            interrupted.set(true);
          });
      caller.start();
      await("the caller waits", () -> WAITING.contains(caller.getState()));
      caller.interrupt();
      caller.join(20_000);
      assertTrue(interrupted.get());
    }
  }

  @Test
  @DisplayName("B17: a client that was closed before its service is named, with the next step")
  void theClientWasClosedFirst() {
    try (LockService service = LockService.builder().sharedBackend(backend).open()) {
      DistributedLock lock = service.getLock("closed");
      lock.lock();
      lock.unlock();
      pool.close();
      for (int i = 0; i < 2; i++) {
        String message =
            String.valueOf(assertThrows(LockException.class, lock::tryLock).getMessage());
        assertTrue(message.contains("close the service before the client"), message);
        assertFalse(message.contains("check that the server runs"), message);
      }
    }
  }

  @Test
  @DisplayName("B3: a call that waits for a connection opens no new one when that breaks")
  void theConnectionBreaksWhileOneWaits() throws Throwable {
    try (RedisServer frozen = RedisServer.start();
        ConnectionPool other = pool(frozen, 1, RedisProtocol.RESP3);
        LockBackend waiting = JedisBackend.of(other)) {
      Connection taken = other.getResource();
      CompletableFuture<?> breaking =
          CompletableFuture.runAsync(() -> {
            await("the call waits", () -> other.getNumWaiters() == 1);
            frozen.pause();
            taken.setBroken();
            taken.close(); // this makes another, and waits for the server's greeting
          });
      assertTook(
          Duration.ofSeconds(1),
          () -> assertFails(Outcome.NOT_EXECUTED, () -> waiting.execute(count("none", BRIEF))));
      frozen.resume();
      breaking.handle((done, e) -> done).join();
    }
  }

  @Test
  @DisplayName(
      "B5: calls that wait get a connection although the pool could not replace a broken one")
  void theBrokenConnectionCannotBeReplaced() throws Exception {
    AtomicBoolean unreachable = new AtomicBoolean();
    ConnectionFactory factory =
        new ConnectionFactory(new HostAndPort(REDIS.server().host(), REDIS.server().port())) {
          @Override
          public PooledObject<Connection> makeObject() throws Exception {
            if (unreachable.get()) {
              throw new JedisConnectionException("unreachable");
            }
            return super.makeObject();
          }
        };
    ConnectionPoolConfig one = new ConnectionPoolConfig();
    one.setMaxTotal(1);
    use(new ConnectionPool(factory, one));
    Connection taken = pool.getResource();
    Duration patient = Duration.ofSeconds(10);
    CompletableFuture<?> blocking =
        CompletableFuture.supplyAsync(() -> backend.execute(echo("x", patient)));
    CompletableFuture<?> async = backend.executeAsync(echo("x", patient));
    await("both calls wait", () -> pool.getNumWaiters() == 2);
    unreachable.set(true);
    taken.setBroken();
    assertThrows(JedisException.class, taken::close);
    unreachable.set(false);
    assertEquals(List.of("x"), blocking.get(5, TimeUnit.SECONDS));
    assertEquals(List.of("x"), async.get(5, TimeUnit.SECONDS));
  }

  @Test
  @DisplayName("B5: a broken connection is replaced although all workers wait for one")
  void theConnectionBreaksWhileManyWait() throws Throwable {
    try (RedisServer frozen = RedisServer.start();
        ConnectionPool other = pool(frozen, 2, RedisProtocol.RESP3);
        LockBackend waiting = JedisBackend.of(other);
        Connection taken = other.getResource()) {
      assertTrue(taken.isConnected());
      assertWorks(waiting);
      frozen.pause();
      CompletableFuture<?> breaking =
          CompletableFuture.runAsync(
              () -> assertFails(Outcome.UNKNOWN, () -> waiting.execute(count("n", LONG))));
      await("the call is in flight", () -> other.getNumActive() == 2);
      List<CompletableFuture<List<Object>>> behind =
          IntStream.range(0, 8)
              .mapToObj(i -> waiting.executeAsync(echo("x", Duration.ofSeconds(15))))
              .toList();
      await("all workers wait", () -> other.getNumWaiters() == 8);
      breaking.join();
      frozen.resume();
      behind.forEach(call -> assertEquals(List.of("x"), call.join()));
      assertWorks(waiting);
    }
  }

  @Test
  @DisplayName(
      "B1: when the client breaks during a call, the call is UNKNOWN and its connection ends")
  void theClientBreaks() {
    HostAndPort address = new HostAndPort(REDIS.server().host(), REDIS.server().port());
    Queue<Connection> broken = new ConcurrentLinkedQueue<>();
    AtomicBoolean breaks = new AtomicBoolean();
    ConnectionFactory factory =
        new ConnectionFactory(address, DefaultJedisClientConfig.builder().build()) {
          @Override
          public PooledObject<Connection> makeObject() {
            return new DefaultPooledObject<>(new Breaking(address, breaks, broken));
          }
        };
    use(new ConnectionPool(factory));
    assertWorks(backend);
    breaks.set(true);
    assertFails(Outcome.UNKNOWN, () -> backend.execute(count("broken", Fixture.TIMEOUT)));
    assertFalse(broken.remove().isConnected());
    await("it is returned", () -> pool.getNumActive() == 0);
    assertWorks(backend);
  }

  /** A connection of a version that lacks a method which Mortise calls. */
  private static final class Breaking extends Connection {
    private final AtomicBoolean breaks;
    private final Queue<Connection> broken;

    Breaking(HostAndPort address, AtomicBoolean breaks, Queue<Connection> broken) {
      super(address, DefaultJedisClientConfig.builder().build());
      this.breaks = breaks;
      this.broken = broken;
    }

    @Override
    public Object getUnflushedObject() {
      if (breaks.getAndSet(false)) {
        broken.add(this);
        throw new NoSuchMethodError("on purpose");
      }
      return super.getUnflushedObject();
    }
  }

  @Test
  @DisplayName("B17: close ends all calls in flight and the pool, although disconnecting fails")
  void disconnectingFails() {
    AtomicBoolean fails = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    try (RedisServer frozen = RedisServer.start();
        ConnectionPool stubborn = new ConnectionPool(stubborn(frozen, fails))) {
      LockBackend closing =
          new JedisBackend(stubborn, "stubborn", JedisBackend.BEAT, () -> ended.set(true));
      IntStream.range(0, 3)
          .mapToObj(i -> stubborn.getResource())
          .toList()
          .forEach(Connection::close);
      frozen.pause();
      List<CompletableFuture<List<Object>>> calls =
          IntStream.range(0, 3)
              .mapToObj(i -> closing.executeAsync(count("n", Duration.ofMinutes(1))))
              .toList();
      await("the calls are in flight", () -> stubborn.getNumActive() == 3);
      fails.set(true);
      closing.close();
      calls.forEach(call -> assertFails(Outcome.UNKNOWN, call));
      assertTrue(ended.get());
    }
  }

  private static ConnectionFactory stubborn(RedisServer server, AtomicBoolean fails) {
    HostAndPort address = new HostAndPort(server.host(), server.port());
    DefaultJedisClientConfig config = DefaultJedisClientConfig.builder().build();
    return new ConnectionFactory(address, config) {
      @Override
      public PooledObject<Connection> makeObject() {
        return new DefaultPooledObject<>(
            new Connection(address, config) {
              @Override
              public void disconnect() {
                super.disconnect();
                if (fails.get()) {
                  throw new IllegalStateException("on purpose");
                }
              }
            });
      }
    };
  }

  @Test
  @DisplayName("B4: an interrupt does not end the wait for a pooled connection, and is kept")
  void interruptedWhileThePoolIsExhausted() throws InterruptedException {
    use(pool(1, RedisProtocol.RESP3));
    Connection taken = pool.getResource();
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
      command("SET", "text", "not a number");
      assertFails(Outcome.REPLIED, () -> backend.execute(count("text", Duration.ofSeconds(77))));
    }
    try (Connection connection = pool.getResource()) {
      assertEquals(2_000, connection.getSoTimeout());
    }
  }

  @Test
  @DisplayName("B19: messages use no connection of the pool")
  void messagesTakeNoPooledConnection() {
    use(pool(1, RedisProtocol.RESP3));
    Recorder recorder = new Recorder();
    backend.subscribe("channel", recorder);
    recorder.await(1);
    assertWorks(backend);
    assertEquals(1L, command("PUBLISH", "channel", "hello"));
    recorder.await(2);
    assertEquals(List.of("+", "hello"), recorder.events);
  }

  @Test
  @DisplayName("B8, B11: a client that speaks RESP2 works too, with messages and pings")
  void aClientOfResp2() throws InterruptedException {
    use(pool(8, RedisProtocol.RESP2));
    assertWorks(backend);
    Recorder recorder = new Recorder();
    backend.subscribe("channel", recorder);
    recorder.await(1);
    // Longer than the silence after which a connection counts as dead.
    Thread.sleep(4_000);
    assertEquals(1L, command("PUBLISH", "channel", "hello"));
    recorder.await(2);
    assertEquals(List.of("+", "hello"), recorder.events);
  }

  @Test
  @DisplayName("B5: many futures on few connections all end, each with its own reply")
  void manyFutures() {
    use(pool(2, RedisProtocol.RESP3));
    List<CompletableFuture<List<Object>>> futures =
        IntStream.range(0, 200)
            .mapToObj(i -> backend.executeAsync(echo("text" + i, Duration.ofSeconds(20))))
            .toList();
    for (int i = 0; i < 200; i++) {
      assertEquals(List.of("text" + i), futures.get(i).join());
    }
  }
}
