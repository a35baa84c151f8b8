package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ClusterOpeningConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** How services on a Redis Cluster open through Jedis, and what they refuse. */
@Tag("ci")
class JedisClusterOpeningTest extends ClusterOpeningConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
