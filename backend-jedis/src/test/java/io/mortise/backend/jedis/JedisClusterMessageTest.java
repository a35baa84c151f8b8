package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ClusterMessageConformance;
import io.mortise.spi.LockBackendProvider;

/** The messages of a Redis Cluster through Jedis while nodes fail. */
class JedisClusterMessageTest extends ClusterMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
