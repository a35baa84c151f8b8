package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ShardedMessageConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The sharded channels of a Redis Cluster through Lettuce. */
@Tag("ci")
class LettuceClusterShardTest extends ShardedMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
