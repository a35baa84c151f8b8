package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on Redis through Jedis. */
@Tag("ci")
class JedisLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
