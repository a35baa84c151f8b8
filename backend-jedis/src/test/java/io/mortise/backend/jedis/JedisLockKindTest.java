package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All other kinds of lock on Redis through Jedis. */
@Tag("all")
class JedisLockKindTest extends RedisLockKindConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
