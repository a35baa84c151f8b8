package io.mortise.backend.jedis;

import io.mortise.conformance.cluster.ShardedMessageConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The sharded channels of a Redis Cluster through Jedis. */
@Tag("ci")
class JedisClusterShardTest extends ShardedMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
