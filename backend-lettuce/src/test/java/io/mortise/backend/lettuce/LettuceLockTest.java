package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on Redis through Lettuce. */
class LettuceLockTest extends RedisLockConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
