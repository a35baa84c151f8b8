package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on Redis through Jedis while things fail. */
class JedisLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
