package io.mortise.backend.jedis;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;

/** All other kinds of lock on a master that sentinels name, through Jedis. */
class JedisSentinelLockKindTest extends RedisLockKindConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
