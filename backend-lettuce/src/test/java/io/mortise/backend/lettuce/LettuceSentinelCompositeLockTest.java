package io.mortise.backend.lettuce;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;

/** Multi-locks and Redlocks on a master that sentinels name, through Lettuce. */
class LettuceSentinelCompositeLockTest extends RedisCompositeLockConformance
    implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
