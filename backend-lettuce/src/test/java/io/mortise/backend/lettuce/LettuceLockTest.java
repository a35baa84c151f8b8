package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on Redis through Lettuce. */
class LettuceLockTest extends RedisLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
