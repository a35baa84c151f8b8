package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.TIMEOUT;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.echo;
import static io.mortise.backend.jedis.Fixture.runsThread;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.authentication.core.IdentityProvider;
import redis.clients.authentication.core.SimpleToken;
import redis.clients.authentication.core.TokenAuthConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.HostAndPortMapper;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.authentication.AuthXManager;

/** One server with the settings of an application's own client. */
class ServerSettingsTest {
  private static RedisCredentials user(RedisServer server, String name) {
    server.command("ACL", "SETUSER", name, "on", ">of-" + name, "~*", "&*", "+@all");
    return new DefaultRedisCredentials(name, "of-" + name);
  }

  private static HostAndPort place(RedisServer server) {
    return new HostAndPort(server.host(), server.port());
  }

  @Test
  @DisplayName("B26: living connections get what the provider of the settings says")
  void aProviderThatChangesItsAnswer() {
    try (RedisServer server = RedisServer.start()) {
      AtomicReference<RedisCredentials> now = new AtomicReference<>(user(server, "kay"));
      var settings = DefaultJedisClientConfig.builder().credentialsProvider(now::get).build();
      try (LockBackend backend = JedisBackend.ofServer(place(server), settings, 2)) {
        assertWorks(backend);
        now.set(user(server, "lou"));
        Await.until(
            "they have the new user",
            () -> !String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay "));
        server.command("ACL", "DELUSER", "kay");
        assertWorks(backend);
      }
    }
  }

  @Test
  @DisplayName("B26: a provider without a password, and fixed ones, are Jedis' own affair")
  void otherProviders() {
    try (RedisServer server = RedisServer.start()) {
      var none =
          DefaultJedisClientConfig.builder()
              .credentialsProvider(() -> new DefaultRedisCredentials(null, (char[]) null))
              .build();
      var fixed = DefaultJedisClientConfig.builder().build();
      for (var settings : List.of(none, fixed)) {
        try (LockBackend backend = JedisBackend.ofServer(place(server), settings, 2)) {
          assertWorks(backend);
        }
      }
    }
  }

  @Test
  @DisplayName("B18: a provider that throws is told by its words, and nothing is left open")
  void aProviderThatThrows() {
    try (RedisServer server = RedisServer.start()) {
      var settings =
          DefaultJedisClientConfig.builder()
              .credentialsProvider(() -> {
                throw new IllegalStateException("no vault");
              })
              .build();
      String message =
          String.valueOf(
              assertThrows(
                      BackendException.class,
                      () -> JedisBackend.ofServer(place(server), settings, 2))
                  .getMessage());
      assertTrue(message.contains("the credentials provider of the Jedis settings"), message);
      assertTrue(message.contains("no vault"), message);
      assertFalse(String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay"));
    }
  }

  @Test
  @DisplayName("B26: living connections follow a manager of tokens, and the end stops it")
  void aManagerOfTokens() {
    try (RedisServer server = RedisServer.start()) {
      AtomicReference<RedisCredentials> now = new AtomicReference<>(user(server, "kay"));
      AtomicInteger asked = new AtomicInteger();
      IdentityProvider tokens =
          () -> {
            asked.incrementAndGet();
            RedisCredentials user = now.get();
            long end = System.currentTimeMillis() + 1_000;
            return new SimpleToken(
                user.getUser(), String.valueOf(user.getPassword()), end, end - 1_000, Map.of());
          };
      try (LockBackend backend = JedisBackend.ofServer(place(server), following(tokens), 2)) {
        assertWorks(backend);
        now.set(user(server, "lou"));
        Await.until(
            "they have the new user",
            () -> !String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay "));
        server.command("ACL", "DELUSER", "kay");
        assertWorks(backend);
      }
      AtomicInteger before = new AtomicInteger(-1);
      Await.until(
          "nobody asks for tokens any more",
          () -> {
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2)); // twice the life of a token
            return before.getAndSet(asked.get()) == asked.get();
          });
    }
  }

  private static JedisClientConfig following(IdentityProvider tokens) {
    TokenAuthConfig config =
        TokenAuthConfig.builder()
            .identityProviderConfig(() -> tokens)
            .expirationRefreshRatio(0.5f)
            .lowerRefreshBoundMillis(100)
            .tokenRequestExecTimeoutInMs(10_000)
            .maxAttemptsToRetry(3)
            .delayInMsToRetry(100)
            .build();
    return DefaultJedisClientConfig.builder().authXManager(new AuthXManager(config)).build();
  }

  /** Time limits that no test waits for. */
  private static DefaultJedisClientConfig.Builder patient() {
    int millis = Math.toIntExact(TimeUnit.MINUTES.toMillis(10));
    return DefaultJedisClientConfig.builder()
        .connectionTimeoutMillis(millis)
        .socketTimeoutMillis(millis);
  }

  private static void assertClosesWhileOpening(LockBackend backend, BooleanSupplier opens) {
    List<CompletableFuture<List<Object>>> calls =
        IntStream.range(0, 3).mapToObj(i -> backend.executeAsync(echo("no", TIMEOUT))).toList();
    Await.until("connections are opened", opens);
    backend.close();
    Await.until("no thread is left", () -> !runsThread("mortise-jedis-worker"));
    calls.forEach(each -> assertTrue(each.isDone()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("B6: the end closes a connection that waits for the server's greeting")
  void closingWhileTheServerIsSilent(boolean bySentinel) {
    try (RedisServer server = RedisServer.start();
        TcpProxy proxy = TcpProxy.to(server);
        RedisServer sentinel =
            RedisServer.builder()
                .sentinel("sentinel monitor it 127.0.0.1 %d 1".formatted(proxy.port()))
                .start()) {
      HostAndPort place = new HostAndPort("127.0.0.1", proxy.port());
      JedisClientConfig settings = patient().build();
      LockBackend backend =
          bySentinel
              ? JedisBackend.ofSentinels("it", Set.of(place(sentinel)), settings, settings)
              : JedisBackend.ofServer(place, settings, 4);
      assertWorks(backend);
      int before = proxy.connections();
      proxy.stall();
      assertClosesWhileOpening(backend, () -> proxy.connections() > before);
    }
  }

  @Test
  @DisplayName("B6: the end closes a socket that waits for an address without an answer")
  void closingWhileAnAddressIsSilent() throws IOException {
    try (RedisServer server = RedisServer.start();
        FullDoor silent = new FullDoor()) {
      AtomicReference<HostAndPort> now = new AtomicReference<>(place(server));
      AtomicInteger lookedUp = new AtomicInteger();
      HostAndPortMapper mapper =
          place -> {
            lookedUp.incrementAndGet();
            return now.get();
          };
      JedisClientConfig settings = patient().hostAndPortMapper(mapper).build();
      LockBackend backend =
          JedisBackend.ofServer(new HostAndPort("nowhere.invalid", 1), settings, 4);
      assertWorks(backend);
      now.set(silent.place());
      int before = lookedUp.get();
      server.pause(); // so that the open connection is not free again
      try {
        assertClosesWhileOpening(backend, () -> lookedUp.get() > before);
      } finally {
        server.resume();
      }
    }
  }

  /** A port whose queue of connections is full, so that a new one gets no answer. */
  private static final class FullDoor implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> queued = new ArrayList<>();

    FullDoor() throws IOException {
      while (queues()) {}
    }

    private boolean queues() throws IOException {
      Socket socket = new Socket();
      queued.add(socket);
      try {
        socket.connect(door.getLocalSocketAddress(), 500);
        return true;
      } catch (SocketTimeoutException e) {
        return false;
      }
    }

    HostAndPort place() {
      return new HostAndPort(door.getInetAddress().getHostAddress(), door.getLocalPort());
    }

    @Override
    public void close() throws IOException {
      for (Socket each : queued) {
        each.close();
      }
      door.close();
    }
  }
}
