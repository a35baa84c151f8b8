package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisSentinelConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All duties, with a master that sentinels name. */
@Tag("all")
class JedisSentinelConformanceTest extends RedisSentinelConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
