package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ShardedMessageConformance;
import io.mortise.spi.LockBackendProvider;

/** The sharded channels of a Redis Cluster through Lettuce. */
class LettuceClusterShardTest extends ShardedMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
