package io.mortise.conformance.spi;

import io.mortise.conformance.OnEachServer;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.CommandProxy;
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
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a service says whose URI names a server that cannot be used, on every topology. */
abstract class OpeningMessageDuties extends OpeningRefusals {
  OpeningMessageDuties(RedisSentinelConformance kit) {
    super(kit);
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
      try (RedisServer sentinel = naming(database.host(), database.port())) {
        String uri = "redis-sentinel://" + place(sentinel) + "/99#m";
        says(uri, "sentinels name " + place(database), "DB index", "last slash");
      }
    }
  }

  @OnEachServer
  @Test
  @Rule("B16")
  @DisplayName("B16: a server that is too old")
  void tooOld() {
    Map<String, String> modes =
        Map.of(
            "redis://%s",
            "standalone", "redis-cluster://%s", "cluster", "redis-sentinel://%s#m", "sentinel");
    try (RedisServer server = RedisServer.start()) {
      modes.forEach((scheme, mode) -> {
        try (CommandProxy old = CommandProxy.to(server, words -> ofVersion5(mode, words))) {
          String place = old.uri().getAuthority();
          String what = "it is a " + mode + " master of version 5.0.14";
          says(scheme.formatted(place), place, what, "6.2 or later is needed", "upgrade it");
        }
      });
    }
  }

  private static List<String> ofVersion5(String mode, List<String> words) {
    List<String> hello = List.of("version", "5.0.14", "mode", mode, "role", "master");
    return words.equals(List.of("HELLO"))
        ? Stream.concat(Stream.of("EVAL", "return ARGV", "0"), hello.stream()).toList()
        : words;
  }

  @OnEachServer
  @Test
  @Rule({"B16", "L18"})
  @DisplayName("B16: a server that does not have a command")
  void withoutACommand() {
    for (String command : List.of("EVALSHA", "SUBSCRIBE", "ZADD", "PUBLISH")) {
      try (RedisServer bare =
          RedisServer.builder().arguments("--rename-command", command, "").start()) {
        says("redis://" + place(bare), place(bare), command, "it has no such command");
      }
    }
  }
}
