package io.mortise.backend.lettuce;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;

/** The read/write lock on a master that sentinels name, through Lettuce. */
class LettuceSentinelReadWriteTest extends RedisReadWriteConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
