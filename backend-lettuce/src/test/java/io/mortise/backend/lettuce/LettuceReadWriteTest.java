package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;

/** The read/write lock on Redis through Lettuce. */
class LettuceReadWriteTest extends RedisReadWriteConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
