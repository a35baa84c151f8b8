package io.mortise.backend.lettuce;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.CompositeLockConformance;
import io.mortise.spi.LockBackendProvider;

/** Multi-locks and Redlocks on a Redis Cluster through Lettuce. */
class LettuceClusterCompositeLockTest extends CompositeLockConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
