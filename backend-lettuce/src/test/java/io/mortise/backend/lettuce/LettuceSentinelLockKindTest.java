package io.mortise.backend.lettuce;

import io.mortise.conformance.SentinelKit;
import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All other kinds of lock on a master that sentinels name, through Lettuce. */
@Tag("all")
class LettuceSentinelLockKindTest extends RedisLockKindConformance implements SentinelKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
