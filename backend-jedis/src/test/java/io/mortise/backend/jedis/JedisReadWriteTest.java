package io.mortise.backend.jedis;

import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The read/write lock on Redis through Jedis. */
@Tag("ci")
class JedisReadWriteTest extends RedisReadWriteConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
