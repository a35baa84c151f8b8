package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ClusterFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks on a Redis Cluster through Jedis while nodes fail. */
@Tag("ci")
class JedisClusterFaultTest extends ClusterFaultConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
