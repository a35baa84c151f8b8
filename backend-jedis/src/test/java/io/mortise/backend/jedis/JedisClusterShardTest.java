package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ShardedMessageConformance;
import io.mortise.spi.LockBackendProvider;

/** The sharded channels of a Redis Cluster through Jedis. */
class JedisClusterShardTest extends ShardedMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
