package io.mortise.conformance.redis;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A stand-in for a service that shards PUBLISH, as Amazon ElastiCache Serverless for Valkey does. A
 * script may publish only to a channel whose slot is that of its keys, and PUBLISH reaches those
 * that used SSUBSCRIBE. A script without keys is refused. It is a real cluster with a proxy in
 * front of each node, which changes the text of scripts. The nodes announce the ports of their
 * proxies. Thread-safe.
 */
public final class ShardedPublish implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int BEFORE_KEYS = 3;

  /** Stands before each script. */
  private static final String SHARDS =
      """
      local server = redis
      local function slot(key)
        local crc = 0
        local text = string.match(key, '^[^{]*{([^}]+)}') or key
        for i = 1, #text do
          crc = bit.bxor(crc, bit.lshift(string.byte(text, i), 8))
          for _ = 1, 8 do
            local high = bit.band(crc, 0x8000) ~= 0
            crc = bit.band(bit.lshift(crc, 1), 0xffff)
            crc = high and bit.bxor(crc, 0x1021) or crc
          end
        end
        return crc % 16384
      end
      local refusal =
        {err = 'ERR Script attempted to access keys that do not hash to the same slot'}
      local function sharding(run, refuse)
        return function(command, ...)
          if string.upper(command) ~= 'PUBLISH' then
            return run(command, ...)
          end
          if slot((...)) ~= slot(KEYS[1]) then
            return refuse(refusal)
          end
          return run('SPUBLISH', ...)
        end
      end
      local redis = setmetatable({
        call = sharding(server.call, error),
        pcall = sharding(server.pcall, function(answer) return answer end)
      }, {__index = server})
      """;

  private final RedisCluster cluster;
  private final boolean shards;
  private final List<CommandProxy> proxies = new ArrayList<>();

  /** The digests of scripts as their callers know them, and as the nodes do. */
  private final Map<String, String> digests = new ConcurrentHashMap<>();

  private ShardedPublish(RedisCluster cluster, boolean shards) {
    this.cluster = cluster;
    this.shards = shards;
  }

  /** The stand-in that the tests of a JVM share; it ends with the JVM. */
  private static final class Shared {
    static final ShardedPublish SERVICE = start();
  }

  /**
   * The stand-in for tests that leave it as it was.
   *
   * @return always the same
   */
  public static ShardedPublish shared() {
    return Shared.SERVICE;
  }

  /**
   * Starts a cluster and its proxies.
   *
   * @return a cluster whose nodes all serve, and name each other by their proxies
   */
  public static ShardedPublish start() {
    return start(true);
  }

  /**
   * Starts the same cluster with the same proxies, which change nothing. It is there to compare:
   * what shards PUBLISH costs, without what proxies cost.
   *
   * @return a cluster whose nodes all serve, and name each other by their proxies
   */
  public static ShardedPublish startUnchanged() {
    return start(false);
  }

  private static ShardedPublish start(boolean shards) {
    RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(15));
    ShardedPublish service = new ShardedPublish(cluster, shards);
    try {
      service.announceProxies();
      return service;
    } catch (RuntimeException | Error e) {
      service.close();
      throw e;
    }
  }

  private void announceProxies() {
    for (RedisServer node : cluster.nodes()) {
      CommandProxy proxy = CommandProxy.to(node, this::changed);
      proxies.add(proxy);
      String port = String.valueOf(proxy.uri().getPort());
      node.command("CONFIG", "SET", "cluster-announce-port", port);
    }
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!cluster.nodes().stream().allMatch(this::namesProxies)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("the nodes do not announce their proxies: " + cluster);
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private boolean namesProxies(RedisServer node) {
    String known = String.valueOf(node.command("CLUSTER", "NODES"));
    return proxies.stream().allMatch(each -> known.contains(":" + each.uri().getPort() + '@'));
  }

  private List<String> changed(List<String> command) {
    if (!shards) {
      return command;
    }
    List<String> words = new ArrayList<>(command);
    String verb = words.get(0).toUpperCase(Locale.ROOT);
    if (verb.startsWith("EVAL")) {
      if (words.get(2).equals("0")) {
        return CommandProxy.refusal("ERR scripts without keys are not supported");
      }
      words.set(1, verb.equals("EVAL") ? sharding(words.get(1)) : digest(words.get(1)));
    } else if (verb.equals("SCRIPT") && words.size() == BEFORE_KEYS) {
      words.set(2, sharding(words.get(2)));
    }
    return words;
  }

  private String digest(String known) {
    return digests.getOrDefault(known, known);
  }

  private String sharding(String script) {
    String text = SHARDS + script;
    digests.put(sha1(script), sha1(text));
    return text;
  }

  private static String sha1(String text) {
    try {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  /**
   * The cluster's URI, by its proxies.
   *
   * @return {@code redis-cluster://host:port,host:port…}
   */
  public URI uri() {
    return URI.create(
        proxies.stream()
            .map(proxy -> proxy.uri().getAuthority())
            .collect(Collectors.joining(",", "redis-cluster://", "")));
  }

  /** Ends the proxies and the nodes. */
  @Override
  public void close() {
    proxies.forEach(CommandProxy::close);
    cluster.close();
  }

  @Override
  public String toString() {
    return "ShardedPublish[" + uri() + ']';
  }
}
