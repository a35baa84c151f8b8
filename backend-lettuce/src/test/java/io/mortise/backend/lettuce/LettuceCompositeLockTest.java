package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;

/** Multi-locks and Redlocks on Redis through Lettuce. */
class LettuceCompositeLockTest extends RedisCompositeLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
