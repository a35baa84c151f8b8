package io.mortise.backend.jedis;

import io.mortise.conformance.lock.SentinelFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks through Jedis while sentinels replace the master. */
@Tag("ci")
class JedisSentinelFaultTest extends SentinelFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
