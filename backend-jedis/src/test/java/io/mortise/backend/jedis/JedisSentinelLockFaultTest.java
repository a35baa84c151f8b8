package io.mortise.backend.jedis;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on a master that sentinels name, through Jedis. */
@Tag("all")
class JedisSentinelLockFaultTest extends RedisLockFaultConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
