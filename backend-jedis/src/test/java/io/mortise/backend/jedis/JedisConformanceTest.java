package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;

/** All duties, with a client the backend opens itself. */
class JedisConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
