package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on Redis through Jedis. */
@Tag("ci")
class JedisCompositeLockTest extends RedisCompositeLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
