package io.mortise.backend.jedis;

import io.mortise.conformance.lock.SentinelFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** Locks through Jedis while sentinels replace the master. */
class JedisSentinelFaultTest extends SentinelFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
