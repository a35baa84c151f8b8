package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.SentinelFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** Locks through Lettuce while sentinels replace the master. */
class LettuceSentinelFaultTest extends SentinelFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
