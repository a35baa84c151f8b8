package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on Redis through Lettuce. */
@Tag("all")
class LettuceLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
