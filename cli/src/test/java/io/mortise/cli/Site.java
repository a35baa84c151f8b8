package io.mortise.cli;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/** Where both libraries meet. Each is started once for the tests of a JVM, and ends with it. */
enum Site {
  SINGLE,
  SENTINELS,
  CLUSTER;

  private static final class Single {
    static final RedisServer SERVER = RedisServer.start();
  }

  private static final class Sentinels {
    static final RedisSentinels SET = RedisSentinels.start(Duration.ofSeconds(30));
  }

  URI uri() {
    return switch (this) {
      case SINGLE -> Single.SERVER.uri();
      case SENTINELS -> Sentinels.SET.uri();
      case CLUSTER -> RedisCluster.shared().uri();
    };
  }

  /** The URI with a user. */
  URI uri(String userInfo) {
    return URI.create(uri().toString().replace("://", "://" + userInfo + '@'));
  }

  /** The master that has the lock. */
  RedisServer server(String lock) {
    return switch (this) {
      case SINGLE -> Single.SERVER;
      case SENTINELS -> Sentinels.SET.master();
      case CLUSTER -> {
        RedisCluster cluster = RedisCluster.shared();
        yield cluster.owner(cluster.slot(lock));
      }
    };
  }

  List<RedisServer> servers() {
    return switch (this) {
      case SINGLE -> List.of(Single.SERVER);
      case SENTINELS -> Sentinels.SET.servers();
      case CLUSTER -> RedisCluster.shared().nodes();
    };
  }

  /**
   * Runs a task whose commands are counted. Sentinels publish on the servers too, so they pause.
   */
  void counted(Runnable task) {
    List<RedisServer> others = this == SENTINELS ? Sentinels.SET.sentinels() : List.of();
    others.forEach(RedisServer::pause);
    try {
      task.run();
    } finally {
      others.forEach(RedisServer::resume);
    }
  }

  /** The command by which both libraries announce that a lock is free. */
  String publish() {
    return this == CLUSTER ? "spublish" : "publish";
  }

  /** How many listen on the lock's channel. */
  Object listeners(String lock) {
    String channel = "redisson_lock__channel:" + (lock.indexOf('{') < 0 ? '{' + lock + '}' : lock);
    String count = this == CLUSTER ? "SHARDNUMSUB" : "NUMSUB";
    Object reply = server(lock).command("PUBSUB", count, channel);
    return reply instanceof List<?> numbers ? numbers.get(1) : List.of();
  }

  /** A client of Redisson for any of these URIs. Its watchdog has this lease. */
  static RedissonClient client(URI uri, Duration lease) {
    Config config = new Config();
    config.setLockWatchdogTimeout(lease.toMillis());
    switch (uri.getScheme()) {
      case "redis" ->
          config
              .useSingleServer()
              .setAddress(uri.toString())
              .setConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1);
      case "redis-sentinel" ->
          config
              .useSentinelServers()
              .setMasterName(uri.getFragment())
              .addSentinelAddress(addresses(uri))
              .setReadMode(ReadMode.MASTER) // a replica may say that a held lock is free
              .setMasterConnectionMinimumIdleSize(1)
              .setSlaveConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1);
      default ->
          config
              .useClusterServers()
              .addNodeAddress(addresses(uri))
              .setReadMode(ReadMode.MASTER)
              .setScanInterval(500)
              .setMasterConnectionMinimumIdleSize(1)
              .setSlaveConnectionMinimumIdleSize(1)
              .setSubscriptionConnectionMinimumIdleSize(1);
    }
    return Redisson.create(config);
  }

  private static String[] addresses(URI uri) {
    String places = uri.toString().replaceAll(".*//|#.*", "");
    return Stream.of(places.split(",", -1)).map(place -> "redis://" + place).toArray(String[]::new);
  }
}
