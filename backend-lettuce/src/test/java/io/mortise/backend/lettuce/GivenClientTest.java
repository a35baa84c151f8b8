package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.failure;
import static io.mortise.backend.lettuce.Fixture.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.DistributedLock;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Backends on an application's own client. */
final class GivenClientTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private final RedisClient client = RedisClient.create();
  private final RedisURI uri = RedisURI.create(REDIS.server().uri());

  @AfterEach
  void close() {
    client.close();
  }

  private static long connectionsNamed(String name) {
    String clients = String.valueOf(REDIS.server().command("CLIENT", "LIST"));
    return clients.lines().filter(line -> line.contains("name=" + name + " ")).count();
  }

  @Test
  @DisplayName("B17: a client that was closed before its service is named, with the next step")
  void theClientWasClosedFirst() {
    RedisClient other = RedisClient.create();
    try (LockService service =
        LockService.builder().sharedBackend(LettuceBackend.of(other, uri)).open()) {
      DistributedLock lock = service.getLock("closed");
      lock.lock();
      lock.unlock();
      other.shutdown();
      for (int i = 0; i < 2; i++) {
        String message =
            String.valueOf(assertThrows(LockException.class, lock::tryLock).getMessage());
        assertTrue(message.contains("close the service before the client"), message);
        assertFalse(message.contains("check that the server runs"), message);
      }
    }
  }

  @Test
  @DisplayName("B17: closing the backend closes its two connections and not the client")
  void theClientStaysTheCallers() {
    uri.setClientName("given");
    LockBackend backend = LettuceBackend.of(client, uri);
    backend.execute(count("k"));
    assertEquals(2, connectionsNamed("given"));
    backend.close();
    Fixture.await("they are closed", () -> connectionsNamed("given") == 0);

    assertEquals(Outcome.NOT_EXECUTED, failure(() -> backend.execute(count("k"))).outcome());
    try (var connection = client.connect(uri)) {
      assertEquals("PONG", connection.sync().ping());
    }
  }

  @ParameterizedTest
  @EnumSource(DisconnectedBehavior.class)
  @DisplayName("B2: on a client that queues commands while disconnected, no call is queued")
  void noCallIsKept(DisconnectedBehavior behavior) {
    client.setOptions(ClientOptions.builder().disconnectedBehavior(behavior).build());
    try (TcpProxy proxy = TcpProxy.to(REDIS.server());
        LockBackend backend = LettuceBackend.of(client, RedisURI.create(proxy.uri()))) {
      backend.execute(count("before" + behavior));
      proxy.refuse();
      proxy.cut();
      Fixture.await("the loss is noticed", () -> isRefused(backend, "n" + behavior));
      proxy.resume();
      Fixture.await("it is connected again", () -> !isRefused(backend, "after" + behavior));
    }
    assertNull(REDIS.server().command("GET", "n" + behavior));
  }

  private static boolean isRefused(LockBackend backend, String key) {
    try {
      backend.execute(count(key));
      return false;
    } catch (BackendException e) {
      return e.outcome() == Outcome.NOT_EXECUTED;
    }
  }

  @Test
  @DisplayName("A client that does not reconnect works, and the backend reconnects")
  void theBackendReconnects() {
    client.setOptions(ClientOptions.builder().autoReconnect(false).build());
    try (TcpProxy proxy = TcpProxy.to(REDIS.server());
        LockBackend backend = LettuceBackend.of(client, RedisURI.create(proxy.uri()))) {
      Recorder recorder = new Recorder();
      backend.subscribe("ch", recorder);
      recorder.await("subscribed");
      proxy.cut();
      recorder.await("subscribed", 2);
      Fixture.await("calls too", () -> !isRefused(backend, "k"));
    }
  }

  @Test
  @DisplayName("The client keeps its options and connections; the backend only uses its threads")
  void theClientIsLeftAsItIs() {
    ClientOptions options = client.getOptions();
    try (var connection = client.connect(uri)) {
      Set<String> before = ioThreads();
      try (LockBackend backend = LettuceBackend.of(client, uri)) {
        backend.execute(count("k"));
        assertEquals(before.size(), ioThreads().stream().filter(before::contains).count());
      }
      assertSame(options, client.getOptions());
      assertEquals("PONG", connection.sync().ping());
      assertFalse(client.getResources().eventExecutorGroup().isShuttingDown());
    }
  }

  @Test
  @DisplayName("B17: a backend closes after its client, without error")
  void theClientIsClosedFirst() {
    LockBackend backend = LettuceBackend.of(client, uri);
    backend.execute(count("k"));
    client.close();
    Fixture.await("calls are refused", () -> isRefused(backend, "k"));
    backend.close();
    assertTrue(backend.toString().contains("closed"), backend.toString());
  }

  private static Set<String> ioThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.contains("EventLoop"))
        .collect(Collectors.toSet());
  }

  @Test
  @DisplayName("The client's resources also apply to the backend's connections")
  void theResourcesCustomizerIsRespected() {
    AtomicInteger links = new AtomicInteger();
    AtomicInteger bootstraps = new AtomicInteger();
    NettyCustomizer customizer =
        new NettyCustomizer() {
          @Override
          public void afterBootstrapInitialized(Bootstrap bootstrap) {
            bootstraps.incrementAndGet();
          }

          @Override
          public void afterChannelInitialized(Channel channel) {
            links.incrementAndGet();
          }
        };
    ClientResources resources = ClientResources.builder().nettyCustomizer(customizer).build();
    try (RedisClient customized = RedisClient.create(resources)) {
      LettuceBackend.of(customized, uri).close();
      assertEquals(2, links.get());
      assertEquals(2, bootstraps.get());
    } finally {
      resources.shutdown().awaitUninterruptibly();
    }
  }

  @Test
  @DisplayName("A client that speaks RESP2 works: calls, messages and watched links")
  void resp2Serves() {
    client.setOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      Recorder recorder = new Recorder();
      backend.subscribe("ch2", recorder);
      recorder.await("subscribed");
      backend.execute(count("k"));
      REDIS.server().command("PUBLISH", "ch2", "hello");
      recorder.await("hello");
      Fixture.await("several pings pass", () -> recorder.lasted(Duration.ofSeconds(5)));
      assertEquals(List.of("subscribed", "hello"), recorder.events());
    }
  }

  @Test
  @DisplayName("A credentials provider is asked for each connection")
  void aCredentialsProviderIsAsked() {
    REDIS.server().command("ACL", "SETUSER", "kay", "on", ">first", "~*", "&*", "+@all");
    AtomicReference<String> password = new AtomicReference<>("first");
    RedisCredentialsProvider provider =
        RedisCredentialsProvider.from(() -> RedisCredentials.just("kay", password.get()));
    uri.setCredentialsProvider(provider);
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      backend.execute(count("k"));
      REDIS.server().command("ACL", "SETUSER", "kay", ">second", "<first");
      password.set("second");
      REDIS.server().command("CLIENT", "KILL", "USER", "kay");
      Fixture.await("it is connected again", () -> !isRefused(backend, "k"));
    }
  }

  @Test
  @DisplayName("B26: living connections get what the provider of the URI says")
  void livingConnectionsGetWhatTheProviderSays() {
    AtomicReference<RedisCredentials> now = new AtomicReference<>(user("lou"));
    uri.setCredentialsProvider(RedisCredentialsProvider.from(now::get));
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      backend.execute(count("k"));
      now.set(user("max"));
      Fixture.await(
          "they have the new user",
          () -> !String.valueOf(REDIS.server().command("CLIENT", "LIST")).contains("user=lou "));
      REDIS.server().command("ACL", "DELUSER", "lou");
      backend.execute(count("k"));
    }
  }

  private static RedisCredentials user(String name) {
    REDIS.server().command("ACL", "SETUSER", name, "on", ">of-" + name, "~*", "&*", "+@all");
    return RedisCredentials.just(name, "of-" + name);
  }

  @Test
  @DisplayName("B26: a provider without a password opens a server that asks for none")
  void aProviderWithoutAPassword() {
    uri.setCredentialsProvider(
        RedisCredentialsProvider.from(() -> RedisCredentials.just(null, (char[]) null)));
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      backend.execute(count("k"));
    }
  }

  @Test
  @DisplayName("B16: a URI with sentinels leads to the master that they name")
  void aSentinelUri() {
    RedisSentinels set = RedisSentinels.shared();
    RedisURI.Builder builder = RedisURI.builder().withSentinelMasterId(set.name()).withDatabase(3);
    set.sentinels().forEach(each -> builder.withSentinel(each.host(), each.port()));
    try (LockBackend backend = LettuceBackend.of(client, builder.build())) {
      assertEquals(Topology.SENTINEL, backend.info().topology());
      backend.execute(count("by sentinels"));
    }
    String clients = String.valueOf(set.master().command("INFO", "keyspace"));
    assertTrue(clients.contains("db3:"), clients);
  }

  @Test
  @DisplayName("B3: the timeout is the call's, not the client's")
  void theTimeLimitIsTheCalls() throws Exception {
    TimeoutOptions limit = TimeoutOptions.enabled(Duration.ofMillis(200));
    client.setOptions(ClientOptions.builder().timeoutOptions(limit).build());
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      backend.execute(count("k"));
      REDIS.server().pause();
      CompletableFuture<List<Object>> call = backend.executeAsync(count("k"));
      Thread.sleep(500);
      assertFalse(call.isDone());
      REDIS.server().resume();
      call.get();
    } finally {
      REDIS.server().resume();
    }
  }

  @Test
  @DisplayName("A client with command listeners works too, and its silent links are found")
  void aClientWithCommandListenersServes() {
    client.addListener(new CommandListener() {});
    try (TcpProxy proxy = TcpProxy.to(REDIS.server())) {
      RedisURI through = RedisURI.create(proxy.uri());
      try (LockBackend backend = LettuceBackend.of(client, through)) {
        Recorder recorder = new Recorder();
        backend.subscribe("ch", recorder);
        recorder.await("subscribed");
        backend.execute(count("k"));
        proxy.stall();
        recorder.await("interrupted");
        proxy.cut();
        proxy.resume();
        recorder.await("subscribed", 2);
      }
    }
  }

  @Test
  @DisplayName("B16: if the backend cannot make its client, it releases all parts of it")
  void anOwnClientThatCannotBeMade() {
    AtomicInteger made = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    ClientResources resources =
        instead(
            ClientResources.class,
            client.getResources(),
            "mutate",
            builder ->
                instead(
                    ClientResources.Builder.class,
                    (ClientResources.Builder) builder,
                    "build",
                    copy -> {
                      made.incrementAndGet();
                      return broken((ClientResources) copy, ended);
                    }));
    try (RedisClient given = RedisClient.create(resources)) {
      assertThrows(RuntimeException.class, () -> LettuceBackend.of(given, uri));
    }
    assertEquals(1, made.get());
    assertEquals(1, ended.get());
  }

  /** Resources that make the creation of a client fail. */
  private static ClientResources broken(ClientResources whole, AtomicInteger ended) {
    return proxy(
        ClientResources.class,
        (method, arguments) -> {
          if (method.getName().equals("eventExecutorGroup")) {
            throw new IllegalStateException("on purpose");
          }
          ended.addAndGet(method.getName().equals("shutdown") ? 1 : 0);
          return method.invoke(whole, arguments);
        });
  }

  /** A proxy with another result for one method. A builder's other methods return the builder. */
  private static <T> T instead(
      Class<T> type, T whole, String name, UnaryOperator<Object> otherResult) {
    AtomicReference<T> own = new AtomicReference<>();
    own.set(
        proxy(
            type,
            (method, arguments) -> {
              Object result = method.invoke(whole, arguments);
              if (method.getName().equals(name)) {
                return otherResult.apply(result);
              }
              return type.isInstance(result) ? own.get() : result;
            }));
    return own.get();
  }

  private interface Answer {
    Object to(Method method, Object[] arguments) throws ReflectiveOperationException;
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    ClassLoader loader = GivenClientTest.class.getClassLoader();
    return type.cast(
        Proxy.newProxyInstance(
            loader,
            new Class<?>[] {type},
            (self, method, arguments) -> answer.to(method, arguments)));
  }

  @Test
  @DisplayName("B16: a refused server leaves no connection and the client open")
  void aRefusedServerLeavesNoConnection() {
    try (TcpProxy proxy = TcpProxy.to(REDIS.server())) {
      RedisURI through = RedisURI.create(proxy.uri());
      through.setDatabase(99);
      BackendException e = failure(() -> LettuceBackend.of(client, through));
      assertTrue(message(e).contains("DB index"), e.getMessage());
      Fixture.await("all are closed", () -> proxy.connections() == 0);
    }
    try (var connection = client.connect(uri)) {
      assertFalse(List.of(connection.sync().ping()).isEmpty());
    }
  }
}
