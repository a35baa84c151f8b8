package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract on Redis through Lettuce. */
@Tag("all")
class LettuceLockTest extends RedisLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
