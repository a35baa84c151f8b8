package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on Redis through Lettuce. */
@Tag("all")
class LettuceCompositeLockTest extends RedisCompositeLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
