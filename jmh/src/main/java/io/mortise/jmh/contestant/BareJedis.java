package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** Jedis alone, on a server or on a cluster. */
final class BareJedis implements Site {
  private final UnifiedJedis client;
  private final String take;
  private final String give;
  private final long lease;

  BareJedis(URI uri, Duration lease) {
    client = ClusterNodes.isCluster(uri) ? ofCluster(uri) : RedisClient.create(uri);
    take = client.scriptLoad(BareLock.TAKE);
    give = client.scriptLoad(BareLock.GIVE);
    this.lease = lease.toMillis();
  }

  private static UnifiedJedis ofCluster(URI uri) {
    return RedisClusterClient.create(
        ClusterNodes.of(uri).stream().map(HostAndPort::from).collect(Collectors.toSet()));
  }

  @Override
  public Lock lock(String name) {
    return new BareLock(
        (keys, args) -> client.evalsha(take, keys, args),
        (keys, args) -> client.evalsha(give, keys, args),
        name,
        lease);
  }

  @Override
  public Lock readLock(String name) {
    return lock(BareLock.own(name));
  }

  @Override
  public void close() {
    client.close();
  }
}
