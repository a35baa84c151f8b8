package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisTlsConformance;
import io.mortise.spi.LockBackendProvider;

/** TLS with certificates on both sides, through Jedis. */
class JedisTlsConformanceTest extends RedisTlsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
