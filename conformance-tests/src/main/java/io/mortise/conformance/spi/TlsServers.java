package io.mortise.conformance.spi;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TestAuthority.Signed;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A server, a cluster and a sentinel with TLS ports that ask for a client's certificate. Their own
 * certificate names {@code localhost} alone, and so do cluster and sentinel when they name servers.
 * The sentinel never connects to the server that it names.
 */
final class TlsServers implements AutoCloseable {
  /** The three ways to servers. */
  enum Kind {
    SINGLE,
    CLUSTER,
    SENTINEL
  }

  /** A master that the sentinel names by its address, which the certificate does not have. */
  static final String BY_ADDRESS = "by-address";

  private static final String BY_NAME = "by-name";

  final TestAuthority authority = TestAuthority.create();
  final Signed client = authority.sign("client", "DNS:client");
  final RedisServer single;
  final RedisCluster cluster;
  private final Signed server = authority.sign("server", "DNS:localhost");
  private final RedisServer sentinel;
  private final int singlePort;
  private final int sentinelPort;

  TlsServers() {
    cluster = RedisCluster.start(Duration.ofSeconds(15), this::ofNode);
    List<String> data = authority.arguments(server, true);
    singlePort = port(data);
    single = RedisServer.builder().arguments(data.toArray(String[]::new)).start();
    List<String> watching = authority.arguments(server, true);
    sentinelPort = port(watching);
    sentinel =
        RedisServer.builder()
            .sentinel(
                "bind-source-addr 192.0.2.1", // an address that no machine has
                "sentinel resolve-hostnames yes",
                "sentinel announce-hostnames yes")
            .arguments(watching.toArray(String[]::new))
            .start();
    watch(BY_NAME, "localhost");
    watch(BY_ADDRESS, "127.0.0.1");
  }

  private List<String> ofNode() {
    List<String> arguments = new ArrayList<>(authority.arguments(server, true));
    arguments.addAll(List.of("--tls-cluster", "yes", "--tls-replication", "yes"));
    arguments.addAll(List.of("--cluster-announce-hostname", "localhost"));
    arguments.addAll(List.of("--cluster-preferred-endpoint-type", "hostname"));
    return arguments;
  }

  private void watch(String name, String host) {
    sentinel.command("SENTINEL", "MONITOR", name, host, String.valueOf(singlePort), "1");
    sentinel.command("SENTINEL", "SET", name, "down-after-milliseconds", "3600000");
  }

  /** The TLS port in the arguments of a server. */
  static int port(List<String> arguments) {
    return Integer.parseInt(arguments.get(1));
  }

  /** The URI of servers of one kind. */
  URI uri(Kind kind, String host) {
    return URI.create(
        switch (kind) {
          case SINGLE -> "rediss://" + host + ':' + singlePort;
          case CLUSTER -> "rediss-cluster://" + host + ':' + nodePort();
          case SENTINEL -> "rediss-sentinel://" + host + ':' + sentinelPort + '#' + BY_NAME;
        });
  }

  /** The sentinel, and the master that it names by its address. */
  URI byAddress() {
    String uri = uri(Kind.SENTINEL, "localhost").toString();
    return URI.create(uri.replace(BY_NAME, BY_ADDRESS));
  }

  private Object nodePort() {
    Object pair = cluster.nodes().get(0).command("CONFIG", "GET", "tls-port");
    return pair instanceof List<?> words ? words.get(1) : "none";
  }

  @Override
  public void close() {
    cluster.close();
    single.close();
    sentinel.close();
    authority.close();
  }
}
