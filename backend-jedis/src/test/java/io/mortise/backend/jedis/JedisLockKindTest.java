package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;

/** All other kinds of lock on Redis through Jedis. */
class JedisLockKindTest extends RedisLockKindConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
