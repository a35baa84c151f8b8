package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson. */
final class RedissonSite implements Site {
  private final RedissonClient client;

  RedissonSite(URI uri, Duration lease) {
    Config config = new Config();
    config.setLockWatchdogTimeout(lease.toMillis());
    config.useSingleServer().setAddress(uri.toString());
    client = Redisson.create(config);
  }

  @Override
  public Lock lock(String name) {
    return client.getLock(name);
  }

  @Override
  public Lock fairLock(String name) {
    return client.getFairLock("fair:" + name);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
