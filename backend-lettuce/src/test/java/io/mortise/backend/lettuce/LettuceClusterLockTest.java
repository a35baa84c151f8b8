package io.mortise.backend.lettuce;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.LockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract on a Redis Cluster through Lettuce. */
@Tag("all")
class LettuceClusterLockTest extends LockConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
