package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All other kinds of lock on Redis through Lettuce. */
@Tag("ci")
class LettuceLockKindTest extends RedisLockKindConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
