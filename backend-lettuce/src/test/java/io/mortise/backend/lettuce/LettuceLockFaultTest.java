package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on Redis through Lettuce while things fail. */
class LettuceLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
