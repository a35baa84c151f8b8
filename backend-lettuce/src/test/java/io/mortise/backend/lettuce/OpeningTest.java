package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.echo;
import static io.mortise.backend.lettuce.Fixture.failure;
import static io.mortise.backend.lettuce.Fixture.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.backend.support.RedisServers;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.LogCapture;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import io.mortise.spi.SpiVersion;
import io.netty.bootstrap.Bootstrap;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers that the provider opens and refuses. */
final class OpeningTest {
  private final RedisServer server =
      RedisServer.builder()
          .arguments("--user", "alice", "on", ">s3cr:t@/?#+ %", "~*", "&*", "+@all")
          .start();

  /** Threads of an earlier test class in the same JVM, which do not count here. */
  private final Set<String> earlier = lettuceThreads();

  @AfterEach
  void close() {
    server.close();
  }

  private URI uri(String userInfo, String path) {
    return URI.create(server.uri(userInfo) + path);
  }

  @Test
  @DisplayName("B18: an opening ends though the client's I/O threads do not run")
  void theThreadsOfTheClientDoNotRun() {
    CountDownLatch released = new CountDownLatch(1);
    ClientResources resources =
        DefaultClientResources.builder().nettyCustomizer(blocking(released)).build();
    OwnClient client = SharedThreads.of(resources).client(brief());
    try {
      RedisURI uri = new RedisURI(server.host(), server.port(), Duration.ofSeconds(1));
      BackendException error =
          assertTimeoutPreemptively(
              Duration.ofMinutes(1),
              () ->
                  assertThrows(
                      BackendException.class,
                      () ->
                          LettuceBackendProvider.connect(
                              client, uri, Duration.ofSeconds(1), RedisServers::usable)));
      assertEquals(Outcome.NOT_EXECUTED, error.outcome());
    } finally {
      released.countDown();
      client.close().join();
      resources.shutdown().awaitUninterruptibly();
    }
  }

  private static ClientOptions brief() {
    return ClientOptions.builder()
        .socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
        .build();
  }

  /** Lets all I/O threads wait before anything is connected. */
  private static NettyCustomizer blocking(CountDownLatch released) {
    return new NettyCustomizer() {
      @Override
      public void afterBootstrapInitialized(Bootstrap bootstrap) {
        for (EventExecutor each : bootstrap.config().group()) {
          each.execute(() -> awaitQuietly(released));
        }
      }
    };
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @DisplayName("B21: the service loader finds the provider, and it names itself")
  void theServiceLoaderFindsTheProvider() {
    List<LockBackendProvider> found =
        ServiceLoader.load(LockBackendProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(provider -> provider instanceof LettuceBackendProvider)
            .toList();
    assertEquals(1, found.size());
    assertEquals("lettuce", found.get(0).name());
    assertEquals(SpiVersion.CURRENT, found.get(0).spiVersion());
    Set<String> expected = new TreeSet<>();
    for (String kind : List.of("", "-cluster", "-sentinel")) {
      expected.addAll(List.of("redis" + kind, "rediss" + kind, "valkey" + kind, "valkeys" + kind));
    }
    assertEquals(expected, new TreeSet<>(found.get(0).schemes()));
  }

  @Test
  @DisplayName("B16: an open backend knows its server")
  void anOpenBackendKnowsItsServer() {
    try (LockBackend backend = Fixture.open(server.uri())) {
      String endpoint = "redis://127.0.0.1:" + server.port() + "/0";
      assertEquals(endpoint, backend.info().endpoint());
      assertEquals("LettuceBackend[" + endpoint + "]", backend.toString());
      String info = String.valueOf(server.command("INFO", "server"));
      assertTrue(info.contains("_version:" + backend.info().serverVersion()), info);
      assertTrue(backend.info().publishCounts());
      assertTrue(backend.info().anyKeys());
      assertTrue(String.valueOf(server.command("CLIENT", "LIST")).contains("name=mortise-test"));
    }
  }

  @Test
  @DisplayName("User and password are percent-decoded, the path names the database")
  void userPasswordAndDatabaseComeFromTheUri() {
    String encoded = "s3cr%3At%40%2F%3F%23+%20%25";
    try (LockBackend backend = Fixture.open(uri("alice:" + encoded, "/7"))) {
      backend.execute(count("k"));
      assertTrue(backend.toString().endsWith("/7]"), backend.toString());
    }
    assertTrue(String.valueOf(server.command("INFO", "keyspace")).contains("db7:keys=1"));
    assertTrue(String.valueOf(server.command("ACL", "WHOAMI")).equals("default"));
  }

  @Test
  @DisplayName("A password without a user is the default user's")
  void aPasswordAloneIsTheDefaultUsers() {
    try (RedisServer closed = RedisServer.builder().password("pw").start();
        LockBackend backend = Fixture.open(closed.uri())) {
      assertEquals(List.of(1L), backend.execute(count("k")));
    }
  }

  @Test
  @DisplayName("B16: a user whose ACL allows only scripts and their commands is enough")
  void aShortAclWillDo() {
    server.command(
        "ACL",
        "SETUSER",
        "short",
        "on",
        ">pw",
        "~mortise:*",
        "&mortise:*",
        "+eval",
        "+evalsha",
        "+subscribe",
        "+unsubscribe",
        "+incr",
        "+publish");
    Recorder recorder = new Recorder();
    try (LockBackend backend = Fixture.open(uri("short:pw", ""))) {
      assertEquals(List.of(1L), backend.execute(count("mortise:k")));
      assertEquals("NOPERM", failure(() -> backend.execute(count("other"))).code());
      backend.subscribe("mortise:ch", recorder);
      recorder.await("subscribed");
      Fixture.await("several pings pass", () -> recorder.lasted(Duration.ofSeconds(5)));
      assertEquals(List.of("subscribed"), recorder.events());
      assertTrue(backend.info().serverVersion().matches("\\d+\\.\\d+.*"));
    }
  }

  @Test
  @DisplayName("B16: Redis 6.2 is opened")
  void redis62IsServed() {
    try (RedisServer old = RedisServer.builder().binary(RedisServer.Binary.EMBEDDED).start();
        LockBackend backend = Fixture.open(old.uri())) {
      assertEquals(List.of("k", "v"), backend.execute(echo("k", "v")));
      assertTrue(backend.info().serverVersion().startsWith("6.2."), backend.info().toString());
    }
  }

  @Test
  @DisplayName("B16: a replica is refused")
  void aReplicaIsRefused() {
    String master = String.valueOf(server.port());
    try (RedisServer replica =
        RedisServer.builder().arguments("--replicaof", "127.0.0.1", master).start()) {
      refused(replica.uri(), "it is a standalone replica", "standalone master");
    }
  }

  @Test
  @DisplayName("B16: a cluster node is refused")
  void aClusterNodeIsRefused() {
    String bus = String.valueOf(Fixture.freePort());
    RedisServer.Builder cluster = RedisServer.builder().arguments("--cluster-enabled", "yes");
    try (RedisServer node = cluster.arguments("--cluster-port", bus).start()) {
      refused(node.uri(), "it is a cluster master", "standalone master");
    }
  }

  @Test
  @DisplayName("B16: a sentinel is refused")
  void aSentinelIsRefused(@TempDir Path folder) throws IOException {
    Path config = Files.createFile(folder.resolve("sentinel.conf"));
    int port = Fixture.freePort();
    Process sentinel =
        new ProcessBuilder(
                "redis-server",
                config.toString(),
                "--sentinel",
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      URI uri = URI.create("redis://127.0.0.1:" + port);
      Fixture.await(
          "it is refused as one",
          () -> message(failure(() -> Fixture.open(uri))).contains("it is a sentinel"));
    } finally {
      sentinel.destroyForcibly().onExit().join();
    }
  }

  private void refused(URI uri, String... words) {
    BackendException e = failure(() -> Fixture.open(uri));
    assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    for (String word : words) {
      assertTrue(message(e).contains(word), e.getMessage());
    }
    assertTrue(message(e).contains(uri.getHost() + ':' + uri.getPort()), e.getMessage());
    noThreadIsLeft();
  }

  /** Ignores Netty's own global thread, which ends a second later. */
  private void noThreadIsLeft() {
    Fixture.await("none left of Lettuce's threads", () -> earlier.containsAll(lettuceThreads()));
  }

  private static Set<String> lettuceThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("lettuce"))
        .collect(Collectors.toSet());
  }

  @Test
  @DisplayName("B16, B18: the error names a wrong password as the reason, and does not show it")
  void aWrongPasswordIsSaidToBeOne() {
    BackendException e = failure(() -> Fixture.open(uri("alice:hush-hush", "")));
    assertTrue(message(e).contains("WRONGPASS"), e.getMessage());
    assertTrue(message(e).contains("password"), e.getMessage());
    assertFalse(everything(e).contains("hush"), everything(e));
    assertFalse(everything(e).contains("alice"), everything(e));
    noThreadIsLeft();
  }

  @Test
  @DisplayName("B16: a missing password and a database that is not there are named")
  void aMissingPasswordAndDatabaseAreNamed() {
    try (RedisServer closed = RedisServer.builder().password("pw").start()) {
      refused(URI.create("redis://127.0.0.1:" + closed.port()), "NOAUTH", "password");
    }
    refused(URI.create(server.uri() + "/99"), "DB index is out of range", "database");
  }

  @Test
  @DisplayName("B16, B18: an unreachable server is named without user and password")
  void anUnreachableServerIsNamed() {
    int port = server.port();
    server.close();
    BackendException e =
        failure(() -> Fixture.open(URI.create("redis://alice:hush@127.0.0.1:" + port)));
    assertEquals(Outcome.NOT_EXECUTED, e.outcome());
    assertTrue(message(e).startsWith("redis://127.0.0.1:" + port + "/0"), e.getMessage());
    assertFalse(everything(e).contains("hush") || everything(e).contains("alice"), everything(e));
  }

  @Test
  @DisplayName("B16, B3: opening a server that accepts and stays silent fails in time")
  void aSilentServerIsGivenUp() {
    try (TcpProxy proxy = TcpProxy.to(server)) {
      proxy.stall();
      long start = System.nanoTime();
      refused(proxy.uri(), "did not answer PING");
      assertTrue(Fixture.since(start).compareTo(Duration.ofSeconds(15)) < 0);
    }
  }

  @Test
  @DisplayName("B16: a failed open leaves nothing that fails and logs later")
  void aFailedOpenLeavesNothing() throws InterruptedException {
    Duration timeout = Duration.ofMillis(300);
    LogCapture log = LogCapture.start();
    try (log;
        TcpProxy proxy = TcpProxy.to(server)) {
      URI databaseThatIsNotThere = URI.create(proxy.uri() + "/99");
      BackendConfig config =
          new BackendConfig(databaseThatIsNotThere, timeout, "mortise-test", Map.of());
      failure(() -> new LettuceBackendProvider().open(config));
      noThreadIsLeft();
      Thread.sleep(4_500); // The timeout of a handshake is before that.
    }
    assertEquals("", log.text());
  }

  @Test
  @DisplayName("B16: a seed of a cluster that is not there leaves nothing that logs later")
  void aMissingSeedLeavesNothing() throws InterruptedException {
    String nodes = RedisCluster.shared().uri().getAuthority();
    LogCapture log = LogCapture.start();
    try (log;
        LockBackend backend = Fixture.open(URI.create("redis-cluster://127.0.0.1:1," + nodes))) {
      assertEquals(List.of("k", "v"), backend.execute(echo("k", "v")));
      Thread.sleep(4_500); // The timeout of a handshake is before that.
    }
    assertEquals(List.of(), log.lines("ERROR"));
  }

  @Test
  @DisplayName("B16: a refused connection is reported before the client is loaded")
  void aRefusedConnectionIsReportedBeforeTheClientIsLoaded() throws Exception {
    int port = server.port();
    server.close();
    String classes = classesLoadedBy(Refused.class, "redis://127.0.0.1:" + port);
    assertTrue(classes.contains("Connection refused"), classes);
    assertTrue(classes.contains("LettuceBackendProvider"), classes);
    assertFalse(classes.contains("io.lettuce.core.RedisClient "), classes);
  }

  private static String classesLoadedBy(Class<?> main, String argument) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-verbose:class",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                argument)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  private static String everything(Throwable e) {
    StringWriter text = new StringWriter();
    e.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:///hush",
        "redis:alice:hush@127.0.0.1",
        "redis://alice:hush@",
        "redis://alice:hush@:6379",
        "redis://127.0.0.1:hush",
        "redis://127.0.0.1:0",
        "redis://127.0.0.1:70000",
        "redis://127.0.0.1:6379/hush",
        "redis://127.0.0.1:6379/1/2",
        "redis://127.0.0.1:6379/1?password=hush",
        "redis://alice:pass/hush@127.0.0.1:6379",
        "redis://alice:1#hush@127.0.0.1:6379",
        "redis://alice:pass@hush@127.0.0.1:6379",
        "redis://hush@127.0.0.1:6379",
        "redis://alice:@127.0.0.1:6379"
      })
  @DisplayName(
      "B18: a URI of another form is refused with the right form, and no part of it is shown")
  void aMalformedUriIsRefused(String uri) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Fixture.open(URI.create(uri)));
    assertTrue(
        message(e).contains("redis[s]://[[user]:password@]host[:port][/database]"), message(e));
    assertFalse(everything(e).contains("hush"), everything(e));
    noThreadIsLeft();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"redis://localhost:%d", "redis://localhost:%d/", "redis://127.0.0.1:%d/1"})
  @DisplayName("Hosts by name or number, with and without a path")
  void otherFormsAreUnderstood(String form) {
    try (LockBackend backend = Fixture.open(URI.create(String.format(form, server.port())))) {
      assertEquals(List.of("k", "v"), backend.execute(echo("k", "v")));
    }
  }

  @Test
  @DisplayName("B17: close ends every thread the backend started")
  void closeEndsEveryThread() {
    LockBackend backend = Fixture.open(server.uri());
    backend.subscribe("ch", new Recorder());
    backend.execute(echo("k", "v"));
    assertFalse(earlier.containsAll(lettuceThreads()));
    long start = System.nanoTime();
    backend.close();
    assertTrue(Fixture.since(start).compareTo(Duration.ofSeconds(2)) < 0);
    noThreadIsLeft();
  }
}
