package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ClusterOpeningConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** How services on a Redis Cluster open through Lettuce, and what they refuse. */
@Tag("ci")
class LettuceClusterOpeningTest extends ClusterOpeningConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
