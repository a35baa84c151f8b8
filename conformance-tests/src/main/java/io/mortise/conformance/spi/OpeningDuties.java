package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.conformance.support.Await;
import io.mortise.conformance.support.Remains;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The servers that a backend opens or refuses, and the secrecy of their passwords. */
abstract class OpeningDuties extends Duties {
  OpeningDuties(RedisBackendConformance suite) {
    super(suite);
  }

  private BackendException refused(URI uri) {
    Remains remains = new Remains();
    long start = System.nanoTime();
    BackendException error = assertThrows(BackendException.class, () -> open(uri));
    remains.assertNoThread();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(Duration.ofSeconds(10)) < 0, () -> "B16: opening took " + took);
    String endpoint = uri.getHost() + ':' + uri.getPort();
    assertTrue(
        String.valueOf(error.getMessage()).contains(endpoint),
        () -> "B16: the message names " + endpoint + ": " + error);
    return error;
  }

  private static void assertNothingLeftOpen(RedisServer server) {
    Await.until(
        () -> "connections left: " + server.command("CLIENT", "LIST"),
        Await.patience(),
        () -> clients(server) == 1);
  }

  /**
   * The number of connections, with the asking one, and without those of a replica to its master
   * and of a sentinel.
   */
  private static long clients(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> !line.contains(" flags=M ") && !line.contains(" name=sentinel-"))
        .count();
  }

  @OnEachServer
  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a password, or a user with a password, opens a server that asks for one")
  void opensWithPasswordAndUser() {
    try (RedisServer server = Secrets.guarded()) {
      for (URI uri : List.of(server.uri(), server.uri(Secrets.USER + ':' + Secrets.PASSWORD))) {
        LockBackend backend = open(uri);
        assertEquals(List.of("x"), backend.execute(echo("x")));
        Recorder recorder = new Recorder();
        backend.subscribe(name("channel"), recorder);
        recorder.awaitSigns("+");
        Secrets.assertKept(backend.toString());
        Secrets.assertKept(backend.info().toString());
        backend.close();
      }
    }
  }

  @OnEachServer
  @Test
  @Rule("B1")
  @DisplayName("B1: a command that the ACL forbids is REPLIED with NOPERM")
  void whatTheAclForbids() {
    try (RedisServer server = Secrets.guarded()) {
      LockBackend backend = open(server.uri(Secrets.USER + ':' + Secrets.PASSWORD));
      for (Way way : Way.values()) {
        BackendException error =
            assertThrows(BackendException.class, () -> way.call(backend, increment("foreign:key")));
        assertEquals(Outcome.REPLIED, error.outcome());
        assertEquals("NOPERM", error.code(), error::toString);
      }
      assertEquals(List.of(1L), backend.execute(increment(name("own"))));
    }
  }

  @OnEachServer
  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a wrong password is refused, nothing stays open, and no secret is shown")
  void aWrongPassword() {
    try (RedisServer server = Secrets.guarded()) {
      String wrong = "not-" + Secrets.PASSWORD;
      String output =
          Secrets.printedBy(() -> {
            Secrets.assertKept(refused(server.uri(":" + wrong)));
            Secrets.assertKept(refused(server.uri(Secrets.USER + ':' + wrong)));
            Secrets.assertKept(refused(server.uri("")));
          });
      Secrets.assertKept(output);
      assertNothingLeftOpen(server);
    }
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a server that is not there is refused as NOT_EXECUTED")
  void anAbsentServer() {
    URI uri;
    try (RedisServer server = RedisServer.start()) {
      uri = server.uri(Secrets.USER + ':' + Secrets.PASSWORD);
    }
    BackendException error = refused(uri);
    assertEquals(Outcome.NOT_EXECUTED, error.outcome(), error::toString);
    Secrets.assertKept(error);
  }

  @Test
  @Rule({"B3", "B16"})
  @DisplayName("B16: opening a server that never answers ends in time")
  void aSilentServer() {
    try (RedisServer server = RedisServer.start();
        TcpProxy proxy = TcpProxy.to(server)) {
      proxy.stall();
      refused(proxy.uri());
      Await.until("nothing left open", () -> hasEnded(proxy));
    }
  }

  /** A stalled proxy hides the end of a connection, so the proxy resumes first. */
  private static boolean hasEnded(TcpProxy proxy) {
    proxy.resume();
    return proxy.connections() == 0;
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a replica is refused, and the message calls it one")
  void aReplica() {
    try (RedisServer master = RedisServer.start();
        RedisServer replica =
            RedisServer.builder()
                .arguments("--replicaof", master.host(), String.valueOf(master.port()))
                .start()) {
      assertNames(refused(replica.uri()), "replica");
      assertNothingLeftOpen(replica);
    }
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server of a cluster is refused, and the message says so")
  void aServerOfACluster() {
    try (RedisServer server = RedisServer.builder().arguments("--cluster-enabled", "yes").start()) {
      assertNames(refused(server.uri()), "cluster");
      assertNothingLeftOpen(server);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          redis-cluster://u:hush@127.0.0.1:1/x | is no number of a database
          redis-cluster://u:hush@127.0.0.1:1?a=hush | must read redis[s]-cluster://
          redis-cluster://u:hush@127.0.0.1:70000 | ports in 1 to 65535
          redis-sentinel://u:hush@127.0.0.1:1 | the URI names no master
          redis-sentinel://u:hush@127.0.0.1:1/0/hush#m | must read redis[s]-sentinel://
          redis-sentinel://u:hush@127.0.0.1:0#m | ports in 1 to 65535
          redis://u:hush@127.0.0.1:1,127.0.0.1:2 | must read redis[s]://
          """)
  @Rule({"B16", "B18"})
  @DisplayName("B16: a URI that cannot be right is refused, with what it must have, and no secret")
  void aUriThatCannotBeRight(URI uri, String must) {
    assumeTrue(suite().provider().schemes().contains(uri.getScheme()), "another provider's");
    BackendConfig config = new BackendConfig(uri, TIMEOUT, "mortise-kit", Map.of());
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> suite().provider().open(config));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains(must), message);
    assertFalse(message.contains("hush"), message);
  }

  private static void assertNames(BackendException error, String what) {
    String message = String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT);
    assertTrue(message.contains(what), () -> "B16: the message names the " + what + ": " + error);
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: Redis 6.2, the oldest supported, is opened and works")
  void theOldestServer() {
    try (RedisServer server = RedisServer.builder().binary(RedisServer.Binary.EMBEDDED).start()) {
      LockBackend backend = open(server.uri());
      assertTrue(backend.info().serverVersion().startsWith("6.2."), backend.info()::toString);
      Recorder recorder = new Recorder();
      backend.subscribe(name("channel"), recorder);
      recorder.awaitSigns("+");
      assertEquals(1L, publish(backend, name("channel"), "hello"));
      recorder.awaitMessage("hello");
    }
  }

  @OnEachServer
  @Test
  @Rule("B17")
  @DisplayName("B17: closing leaves no connection open")
  void closingLeavesNoConnection() {
    try (RedisServer server = RedisServer.start()) {
      LockBackend backend = open(server.uri());
      Recorder recorder = new Recorder();
      backend.subscribe(name("channel"), recorder);
      recorder.awaitSigns("+");
      for (Way way : Way.values()) {
        way.call(backend, echo("x"));
      }
      String clients = String.valueOf(server.command("CLIENT", "LIST"));
      assertTrue(clients.contains(" name=mortise-kit"), () -> "clientName is used: " + clients);
      backend.close();
      assertNothingLeftOpen(server);
    }
  }

  @Test
  @Rule({"B1", "B17"})
  @DisplayName("B17: closing while the server is frozen ends all calls and all threads")
  void closingWhileTheServerIsFrozen() {
    try (RedisServer server = RedisServer.start()) {
      Remains remains = new Remains();
      LockBackend backend = open(server.uri());
      Recorder recorder = new Recorder();
      backend.subscribe(name("channel"), recorder);
      recorder.awaitSigns("+");
      server.pause();
      List<CompletableFuture<List<Object>>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        calls.add(
            backend.executeAsync(FaultDuties.within(Duration.ofSeconds(60), increment(name("n")))));
      }
      backend.close();
      calls.forEach(call -> assertTrue(call.isDone(), "a call goes on"));
      remains.assertNoThread();
    }
  }

  @Test
  @Rule("B18")
  @DisplayName("B18: an outage shows no secret in errors or in the log")
  void anOutageShowsNoSecret() {
    try (RedisServer server = Secrets.guarded()) {
      String output =
          Secrets.printedBy(() -> {
            LockBackend backend = open(server.uri(Secrets.USER + ':' + Secrets.PASSWORD));
            Recorder recorder = new Recorder();
            backend.subscribe(name("channel"), recorder);
            recorder.awaitSigns("+");
            server.kill();
            recorder.awaitSigns("+-");
            for (Way way : Way.values()) {
              Secrets.assertKept(
                  assertThrows(BackendException.class, () -> way.call(backend, echo("x"))));
            }
            Secrets.assertKept(backend.toString());
          });
      Secrets.assertKept(output);
    }
  }
}
