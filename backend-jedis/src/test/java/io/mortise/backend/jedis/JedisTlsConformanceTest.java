package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisTlsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** TLS with certificates on both sides, through Jedis. */
@Tag("ci")
class JedisTlsConformanceTest extends RedisTlsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
