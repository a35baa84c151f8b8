package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ClusterMessageConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The messages of a Redis Cluster through Jedis while nodes fail. */
@Tag("ci")
class JedisClusterMessageTest extends ClusterMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
