package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The read/write lock on Redis through Lettuce. */
@Tag("all")
class LettuceReadWriteTest extends RedisReadWriteConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
