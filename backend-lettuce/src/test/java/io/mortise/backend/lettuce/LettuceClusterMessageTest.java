package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ClusterMessageConformance;
import io.mortise.spi.LockBackendProvider;

/** The messages of a Redis Cluster through Lettuce while nodes fail. */
class LettuceClusterMessageTest extends ClusterMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
