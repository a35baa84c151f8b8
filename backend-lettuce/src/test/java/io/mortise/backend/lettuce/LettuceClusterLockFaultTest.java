package io.mortise.backend.lettuce;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.LockFaultConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract while links fail on a Redis Cluster through Lettuce. */
class LettuceClusterLockFaultTest extends LockFaultConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
