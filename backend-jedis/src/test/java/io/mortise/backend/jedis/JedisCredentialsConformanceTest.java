package io.mortise.backend.jedis;

import io.mortise.conformance.spi.RedisCredentialsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Users and passwords that change, through Jedis. */
@Tag("ci")
class JedisCredentialsConformanceTest extends RedisCredentialsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
