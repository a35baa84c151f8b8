package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The semaphore and the latch on Redis through Jedis. */
@Tag("ci")
class JedisSynchronizerTest extends RedisSynchronizerConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
