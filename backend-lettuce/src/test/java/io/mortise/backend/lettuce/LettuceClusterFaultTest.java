package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ClusterFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Locks on a Redis Cluster through Lettuce while nodes fail. */
@Tag("ci")
class LettuceClusterFaultTest extends ClusterFaultConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
