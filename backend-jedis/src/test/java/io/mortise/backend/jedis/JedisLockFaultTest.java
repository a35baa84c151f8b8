package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract under faults on Redis through Jedis. */
class JedisLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
