package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisSentinelConformance;
import io.mortise.spi.LockBackendProvider;

/** All duties, with a master that sentinels name. */
class JedisSentinelConformanceTest extends RedisSentinelConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
