package io.mortise.backend.lettuce;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on a master that sentinels name, through Lettuce. */
@Tag("all")
class LettuceSentinelLockFaultTest extends RedisLockFaultConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
