package io.mortise.jmh.contestant;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Lettuce alone, with one connection for all threads, or one to each node of a cluster. */
final class BareLettuce implements Site {
  private final AbstractRedisClient client;
  private final RedisScriptingCommands<String, String> commands;
  private final String take;
  private final String give;
  private final long lease;

  BareLettuce(URI uri, Duration lease) {
    if (ClusterNodes.isCluster(uri)) {
      RedisClusterClient cluster =
          RedisClusterClient.create("redis://" + ClusterNodes.of(uri).get(0));
      client = cluster;
      commands = cluster.connect().sync();
    } else {
      RedisClient single = RedisClient.create(uri.toString());
      client = single;
      commands = single.connect().sync();
    }
    take = commands.scriptLoad(BareLock.TAKE);
    give = commands.scriptLoad(BareLock.GIVE);
    this.lease = lease.toMillis();
  }

  @Override
  public Lock lock(String name) {
    return new BareLock(
        (keys, args) -> run(take, keys, args), (keys, args) -> run(give, keys, args), name, lease);
  }

  private Object run(String script, List<String> keys, List<String> args) {
    return commands.evalsha(
        script, ScriptOutputType.INTEGER, keys.toArray(String[]::new), args.toArray(String[]::new));
  }

  @Override
  public Lock readLock(String name) {
    return lock(BareLock.own(name));
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
