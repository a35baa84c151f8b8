package io.mortise.backend.lettuce;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The read/write lock on a master that sentinels name, through Lettuce. */
@Tag("all")
class LettuceSentinelReadWriteTest extends RedisReadWriteConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
