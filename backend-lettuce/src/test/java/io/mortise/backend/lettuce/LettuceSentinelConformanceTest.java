package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisSentinelConformance;
import io.mortise.spi.LockBackendProvider;

/** All duties, with a master that sentinels name. */
class LettuceSentinelConformanceTest extends RedisSentinelConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
