package io.mortise.backend.lettuce;

import io.mortise.conformance.cluster.ClusterMessageConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The messages of a Redis Cluster through Lettuce while nodes fail. */
@Tag("ci")
class LettuceClusterMessageTest extends ClusterMessageConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
