package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on Redis through Jedis. */
class JedisLockTest extends RedisLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
