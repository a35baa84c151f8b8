package io.mortise.backend.jedis;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;

/** The read/write lock on a master that sentinels name, through Jedis. */
class JedisSentinelReadWriteTest extends RedisReadWriteConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
