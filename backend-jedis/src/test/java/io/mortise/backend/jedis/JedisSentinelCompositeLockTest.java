package io.mortise.backend.jedis;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on a master that sentinels name, through Jedis. */
@Tag("all")
class JedisSentinelCompositeLockTest extends RedisCompositeLockConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
