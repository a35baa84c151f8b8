package io.mortise.conformance.redis;

import java.net.URI;
import java.util.HashSet;
import java.util.Set;

/**
 * A sentinel that names any server as a master, and never connects to it. So a test of a single
 * server also runs by way of a sentinel, and the server does not notice. One process serves all
 * tests of a JVM. Thread-safe.
 */
public final class NamingSentinel {
  /** An address that no machine has. A connection from it cannot be made. */
  private static final String NOWHERE = "192.0.2.1";

  /** The line of configuration that keeps a sentinel from connecting to anything. */
  static final String BLIND = "bind-source-addr " + NOWHERE;

  private static final Set<String> NAMES = new HashSet<>();

  /** Started by the first test that needs it. */
  private static final class Only {
    static final RedisServer SENTINEL = RedisServer.builder().sentinel(BLIND).start();
  }

  private NamingSentinel() {}

  /**
   * The URI of a server by way of the sentinel.
   *
   * @param server {@code redis://[userInfo@]host:port[/database]}
   * @return {@code redis-sentinel://[userInfo@]sentinel[/database]#name}
   */
  public static URI naming(URI server) {
    RedisSentinels.assumeInstalled();
    RedisServer sentinel = Only.SENTINEL;
    String name = "at-" + server.getPort();
    String host = "localhost".equals(server.getHost()) ? "127.0.0.1" : server.getHost();
    watch(sentinel, name, host, String.valueOf(server.getPort()));
    String authority = server.getRawAuthority();
    String user = authority.substring(0, authority.lastIndexOf('@') + 1);
    return URI.create(
        "redis-sentinel://%s%s:%d%s#%s"
            .formatted(user, sentinel.host(), sentinel.port(), server.getRawPath(), name));
  }

  private static synchronized void watch(
      RedisServer sentinel, String name, String host, String port) {
    if (NAMES.add(name)) {
      sentinel.command("SENTINEL", "MONITOR", name, host, port, "1");
      sentinel.command("SENTINEL", "SET", name, "down-after-milliseconds", "3600000");
    }
  }
}
