package io.mortise.backend.jedis;

import io.mortise.conformance.lock.ManagedServiceConformance;
import io.mortise.spi.LockBackendProvider;

/** Servers that look as managed services do, through Jedis. */
class JedisManagedServiceTest extends ManagedServiceConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
