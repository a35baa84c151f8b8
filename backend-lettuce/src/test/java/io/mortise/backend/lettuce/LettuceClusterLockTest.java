package io.mortise.backend.lettuce;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.LockConformance;
import io.mortise.spi.LockBackendProvider;

/** The lock contract on a Redis Cluster through Lettuce. */
class LettuceClusterLockTest extends LockConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
