package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ClusterOpeningConformance;
import io.mortise.spi.LockBackendProvider;

/** How services on a Redis Cluster open through Lettuce, and what they refuse. */
class LettuceClusterOpeningTest extends ClusterOpeningConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
