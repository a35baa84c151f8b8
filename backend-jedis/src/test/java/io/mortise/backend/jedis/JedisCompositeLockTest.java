package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;

/** Multi-locks and Redlocks on Redis through Jedis. */
class JedisCompositeLockTest extends RedisCompositeLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
