package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import redis.clients.jedis.RedisClient;

/** Jedis alone. */
final class BareJedis implements Site {
  private final RedisClient client;
  private final String take;
  private final String give;
  private final long lease;

  BareJedis(URI uri, Duration lease) {
    client = RedisClient.create(uri);
    take = client.scriptLoad(BareLock.TAKE);
    give = client.scriptLoad(BareLock.GIVE);
    this.lease = lease.toMillis();
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
