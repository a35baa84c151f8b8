package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ClusterOpeningConformance;
import io.mortise.spi.LockBackendProvider;

/** How services on a Redis Cluster open through Jedis, and what they refuse. */
class JedisClusterOpeningTest extends ClusterOpeningConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
