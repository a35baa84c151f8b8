package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.SlotMoveConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks on a Redis Cluster through Jedis while its slots move. */
@Tag("ci")
class JedisClusterSlotTest extends SlotMoveConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
