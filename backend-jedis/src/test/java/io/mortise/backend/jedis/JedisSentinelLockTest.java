package io.mortise.backend.jedis;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract on a master that sentinels name, through Jedis. */
@Tag("all")
class JedisSentinelLockTest extends RedisLockConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
