package io.mortise.backend.jedis;

import io.mortise.conformance.lock.MovedNameConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Names of hosts that move, through Jedis. */
@Tag("ci")
class JedisMovedNameTest extends MovedNameConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
