package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;

/** All other kinds of lock on Redis through Lettuce. */
class LettuceLockKindTest extends RedisLockKindConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
