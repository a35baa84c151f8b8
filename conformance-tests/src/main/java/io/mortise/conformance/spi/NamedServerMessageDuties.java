package io.mortise.conformance.spi;

import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a service says if a cluster or sentinels lead it to a server that cannot be used. */
abstract class NamedServerMessageDuties extends OpeningRefusals {
  NamedServerMessageDuties(RedisSentinelConformance kit) {
    super(kit);
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
  @Rule("B16")
  @DisplayName("B16: a mapping of addresses that leads nowhere")
  void aMappingThatLeadsNowhere() throws IOException {
    String named = "192.0.2.7:6379";
    String[] away = {"--cluster-announce-ip", "192.0.2.7", "--cluster-announce-port", "6379"};
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RedisServer sentinel = naming("192.0.2.7", 6379);
        RedisServer node =
            RedisServer.builder().arguments("--cluster-enabled", "yes").arguments(away).start()) {
      node.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
      Await.until(
          "the cluster is up",
          () -> String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
      Map<String, String> causes =
          Map.of(
              "127.0.0.1:1",
              "check host and port",
              "127.0.0.1:" + silent.getLocalPort(),
              "stopped or overloaded",
              "nowhere.invalid:6379",
              "check the host's name");
      causes.forEach((there, cause) -> {
        Map<String, String> astray = Map.of("addresses", named + '=' + there);
        String both = named + ", which the property 'addresses' says to reach at " + there;
        says("redis-cluster://" + place(node), astray, both, cause);
        says("redis-sentinel://" + place(sentinel) + "#m", astray, both, cause);
      });
    }
  }
}
