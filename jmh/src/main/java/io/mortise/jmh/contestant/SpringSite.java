package io.mortise.jmh.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The lock registry of spring-integration-redis, on Lettuce. It does not renew leases. */
final class SpringSite implements Site {
  private final LettuceConnectionFactory connections;
  private final RedisLockRegistry registry;

  private SpringSite(URI uri, Duration lease, RedisLockType type) {
    connections = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
    connections.afterPropertiesSet();
    connections.start();
    registry = new RedisLockRegistry(connections, "spring", lease);
    registry.setRedisLockType(type);
  }

  static Site spinning(URI uri, Duration lease) {
    return new SpringSite(uri, lease, RedisLockType.SPIN_LOCK);
  }

  static Site subscribed(URI uri, Duration lease) {
    return new SpringSite(uri, lease, RedisLockType.PUB_SUB_LOCK);
  }

  @Override
  public Lock lock(String name) {
    return registry.obtain(name);
  }

  @Override
  public void close() {
    registry.destroy();
    connections.destroy();
  }
}
