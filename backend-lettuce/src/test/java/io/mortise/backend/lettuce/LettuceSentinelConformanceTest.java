package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisSentinelConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All duties, with a master that sentinels name. */
@Tag("all")
class LettuceSentinelConformanceTest extends RedisSentinelConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
