package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;

/** The read/write lock on Redis through Jedis. */
class JedisReadWriteTest extends RedisReadWriteConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
