package io.mortise.backend.jedis;

import io.mortise.conformance.lock.ManagedServiceConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Servers that look as managed services do, through Jedis. */
@Tag("ci")
class JedisManagedServiceTest extends ManagedServiceConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
