package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * What a service says that cannot be opened, on every topology: the node, what went wrong there in
 * the server's own words, and the next step. The exception has its cause.
 */
abstract class OpeningMessageDuties extends Duties {
  private static final List<String> SCHEMES =
      List.of("redis://%s", "redis-cluster://%s", "redis-sentinel://%s#m");

  private final RedisSentinelConformance kit;
  private Figures figures = (what, value) -> {};
  private String test = "";

  OpeningMessageDuties(RedisSentinelConformance kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void note(Figures figures, TestInfo info) {
    this.figures = figures;
    test = info.getDisplayName().replaceFirst("B16: ", "");
  }

  private static String place(RedisServer server) {
    return server.host() + ':' + server.port();
  }

  private void says(String uri, String... parts) {
    LockService.Builder builder =
        LockService.builder()
            .uri(uri)
            .provider(kit.provider().name())
            .commandTimeout(Duration.ofSeconds(1));
    BackendUnavailableException refusal =
        assertThrows(BackendUnavailableException.class, () -> builder.open().close());
    String message = String.valueOf(refusal.getMessage());
    for (String part : parts) {
      assertTrue(message.contains(part), () -> '"' + part + "\" is missing: " + message);
    }
    assertFalse(message.matches("(?s).*\\b(PT-?\\d|null\\b).*"), message);
    assertNotNull(refusal.getCause(), message);
    String cause = test + ", " + uri.replaceAll("//.*@", "//").replaceAll(":.*", "");
    figures.add("message: " + cause, message.replace('\n', ' '));
  }

  private void sayOnEach(String place, String... parts) {
    SCHEMES.forEach(scheme -> says(scheme.formatted(place), parts));
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: nobody listens")
  void refused() {
    sayOnEach("127.0.0.1:1", "127.0.0.1:1", "Connection refused", "check host and port");
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: the server accepts connections and is silent")
  void silent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String place = "127.0.0.1:" + silent.getLocalPort();
      sayOnEach(place, place, "did not answer PING", "stopped or overloaded");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: TLS where the server has none")
  void tlsToPlain() {
    try (RedisServer server = RedisServer.start()) {
      for (String scheme : SCHEMES) {
        String uri = scheme.replace("redis", "rediss").formatted(place(server));
        says(uri, place(server), "answers without TLS", "write redis in place of rediss");
      }
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: the server has as many clients as it allows")
  void tooManyClients() throws IOException {
    try (RedisServer server = RedisServer.builder().arguments("--maxclients", "1").start();
        RespConnection only =
            new RespConnection(server.host(), server.port(), Duration.ofSeconds(10))) {
      only.call("PING");
      sayOnEach(place(server), place(server), "max number of clients", "raise maxclients");
    }
  }

  @OnEachServer
  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a wrong password and a missing one")
  void passwords() {
    String advice = "check user and password";
    try (RedisServer guarded = RedisServer.builder().password("right").start();
        RedisServer sentinel = naming(guarded.host(), guarded.port())) {
      says("redis://:wrong@" + place(guarded), place(guarded), "WRONGPASS", advice);
      says("redis://" + place(guarded), place(guarded), "NOAUTH", advice);
      says("redis-cluster://:wrong@" + place(guarded), place(guarded), "WRONGPASS", advice);
      String uri = "redis-sentinel://:wrong@" + place(sentinel) + "#m";
      says(uri, "sentinels name " + place(guarded), "WRONGPASS", advice);
    }
  }

  private static RedisServer naming(String host, int port) {
    return RedisServer.builder()
        .sentinel("sentinel monitor m %s %d 1".formatted(host, port))
        .start();
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a user without permissions")
  void permissions() {
    String[] user = {"--user", "u", "on", ">right", "~*", "&*", "-@all", "+ping"};
    try (RedisServer server = RedisServer.builder().arguments(user).start();
        RedisServer node =
            RedisServer.builder().arguments(user).arguments("--cluster-enabled", "yes").start()) {
      says("redis://u:right@" + place(server), place(server), "NOPERM", "an ACL must allow");
      says("redis-cluster://u:right@" + place(node), place(node), "'cluster|slots'", "ACL allows");
    }
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server of another kind: each is told which URI to write")
  void theWrongKind() {
    try (RedisServer single = RedisServer.start();
        RedisServer replica =
            RedisServer.builder()
                .arguments("--replicaof", single.host(), String.valueOf(single.port()))
                .start();
        RedisServer node = RedisServer.builder().arguments("--cluster-enabled", "yes").start();
        RedisServer sentinel = naming(single.host(), single.port())) {
      says("redis://" + place(replica), "it is a standalone replica", "the address of the master");
      says("redis://" + place(node), "it is a cluster master", "write redis-cluster://");
      says("redis://" + place(sentinel), "it is a sentinel of", "write redis-sentinel://");
      says("redis-cluster://" + place(single), "it is a standalone master", "write redis://");
      says("redis-cluster://" + place(sentinel), "it is a sentinel of", "write redis-sentinel://");
      says("redis-cluster://" + place(node), "has a slot", "redis-cli --cluster create");
      says("redis-sentinel://" + place(single) + "#m", "standalone master", "write redis://");
      says("redis-sentinel://" + place(node) + "#m", "cluster master", "write redis-cluster://");
      String unknown = "knows no master 'nobody', it knows 'm'";
      says("redis-sentinel://" + place(sentinel) + "#nobody", place(sentinel), unknown);
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a cluster or a sentinel that names an address that nobody reaches")
  void anAddressThatNobodyReaches() {
    String nowhere = "127.0.0.1";
    try (RedisServer node =
            RedisServer.builder()
                .arguments("--cluster-enabled", "yes", "--cluster-announce-port", "1")
                .start();
        RedisServer sentinel = naming(nowhere, 1)) {
      node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
      Await.until(
          "the cluster is up",
          () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
      says("redis-cluster://" + place(node), nowhere + ":1", "refused", "address that it is named");
      String uri = "redis-sentinel://" + place(sentinel) + "#m";
      says(uri, "sentinels name " + nowhere + ":1", "refused", "let the sentinels name an address");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a server that loads its data")
  void loading() throws InterruptedException {
    try (RedisServer server =
        RedisServer.builder()
            .arguments("--key-load-delay", "3000", "--enable-debug-command", "yes")
            .arguments("--loading-process-events-interval-bytes", "1024")
            .start()) {
      server.command("DEBUG", "POPULATE", "10000", "key", "10");
      Thread reload =
          new Thread(() -> {
            try {
              server.command("DEBUG", "RELOAD");
            } catch (RuntimeException e) {
              // The server is busy, or ends before.
            }
          });
      reload.setDaemon(true);
      reload.start();
      Await.until(
          "it loads",
          () -> String.valueOf(server.command("INFO", "persistence")).contains("loading:1"));
      says("redis://" + place(server), place(server), "LOADING", "when the server has loaded");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: no TLS where the server wants it")
  void plainToTls() {
    Assumptions.assumeTrue(TlsServer.isPossible(), "there is no openssl");
    try (TestAuthority authority = TestAuthority.create()) {
      List<String> tls = authority.arguments(authority.sign("server", "IP:127.0.0.1"), false);
      try (RedisServer server =
          RedisServer.builder().arguments(tls.toArray(String[]::new)).start()) {
        String place = server.host() + ':' + TlsServers.port(tls);
        sayOnEach(place, place, "rediss");
      }
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: no Redis, but a server that closes each connection")
  void closesAtOnce() throws IOException {
    try (ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread porter =
          new Thread(() -> {
            try {
              while (true) {
                door.accept().close();
              }
            } catch (IOException e) {
              // The test has ended.
            }
          });
      porter.setDaemon(true);
      porter.start();
      String place = "127.0.0.1:" + door.getLocalPort();
      sayOnEach(place, place, "ended the connection", "rediss");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a host that nobody knows")
  void unknownHost() {
    sayOnEach("nowhere.invalid:6379", "nowhere.invalid", "check the host's name");
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a sentinel with a password of its own")
  void passwordOfASentinel() {
    try (RedisServer single = RedisServer.start();
        RedisServer sentinel = guarded(single)) {
      String uri = "redis-sentinel://%s" + place(sentinel) + "#m";
      for (String user : List.of("", ":wrong@")) {
        says(uri.formatted(user), place(sentinel), "NOAUTH", "sentinel");
      }
    }
  }

  private static RedisServer guarded(RedisServer master) {
    String monitor = "sentinel monitor m %s %d 1".formatted(master.host(), master.port());
    return RedisServer.builder().password("right").sentinel(monitor).start();
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a master that a sentinel names, and what is wrong with it")
  void theMasterThatIsNamed() throws IOException {
    String[] user = {"--user", "u", "on", ">right", "~*", "&*", "-@all", "+ping"};
    try (RedisServer full = RedisServer.builder().arguments("--maxclients", "1").start();
        RespConnection only = new RespConnection(full.host(), full.port(), Duration.ofSeconds(10));
        RedisServer strict = RedisServer.builder().arguments(user).start();
        RedisServer naming = naming(strict.host(), strict.port());
        RedisServer locked = RedisServer.builder().password("right").start();
        RedisServer node = RedisServer.builder().arguments("--cluster-enabled", "yes").start();
        ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      only.call("PING");
      behind("", full.port(), "max number of clients", "raise maxclients");
      String strictUri = "redis-sentinel://u:right@" + place(naming) + "#m";
      says(strictUri, place(strict), "NOPERM", "an ACL must allow SUBSCRIBE");
      behind("", locked.port(), "NOAUTH", "check user and password");
      behind("", silent.getLocalPort(), "did not answer PING", "stopped or overloaded");
      behind("", node.port(), "cluster master", "write redis-cluster://");
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a replica that a sentinel names as its master")
  void aReplicaThatIsNamed() {
    try (RedisServer single = RedisServer.start();
        RedisServer replica =
            RedisServer.builder()
                .arguments("--replicaof", single.host(), String.valueOf(single.port()))
                .start()) {
      behind("", replica.port(), "standalone replica", "failover");
    }
  }

  private void behind(String user, int port, String... parts) {
    try (RedisServer sentinel =
        RedisServer.builder()
            .sentinel("bind-source-addr 192.0.2.1")
            .sentinel("sentinel monitor m 127.0.0.1 %d 1".formatted(port))
            .start()) {
      String uri = "redis-sentinel://" + user + place(sentinel) + "#m";
      says(
          uri,
          Stream.concat(Stream.of("127.0.0.1:" + port), Stream.of(parts)).toArray(String[]::new));
    }
  }

  @Test
  @Rule("B16")
  @DisplayName("B16: a cluster that names an address where nothing answers")
  void aSilentAddress() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(silent.getLocalPort());
      try (RedisServer node =
          RedisServer.builder()
              .arguments("--cluster-enabled", "yes", "--cluster-announce-port", port)
              .start()) {
        node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        Await.until(
            "the cluster is up",
            () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
        says(
            "redis-cluster://" + place(node),
            "127.0.0.1:" + port,
            "did not answer PING",
            "address");
      }
    }
  }

  @Test
  @Rule({"B16", "B18"})
  @DisplayName("B16: a cluster without the password")
  void clusterWithoutPassword() {
    String[] cluster = {"--cluster-enabled", "yes"};
    try (RedisServer node = RedisServer.builder().password("right").arguments(cluster).start()) {
      says("redis-cluster://" + place(node), place(node), "NOAUTH", "check user and password");
      says("redis-cluster://:no@" + place(node), place(node), "WRONGPASS", "user and password");
    }
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server that answers and cannot write")
  void cannotWrite() {
    try (RedisServer few = RedisServer.builder().arguments("--min-replicas-to-write", "1").start();
        RedisServer database = RedisServer.start()) {
      says("redis://" + place(few), place(few), "NOREPLICAS", "min-replicas-to-write");
      says("redis://" + place(database) + "/99", place(database), "DB index", "last slash");
    }
  }
}
