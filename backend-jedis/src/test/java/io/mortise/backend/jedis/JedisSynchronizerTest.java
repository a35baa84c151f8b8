package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.spi.LockBackendProvider;

/** The semaphore and the latch on Redis through Jedis. */
class JedisSynchronizerTest extends RedisSynchronizerConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
