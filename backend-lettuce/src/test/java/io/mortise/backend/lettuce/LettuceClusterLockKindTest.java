package io.mortise.backend.lettuce;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.LockKindConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The other kinds of lock on a Redis Cluster through Lettuce. */
@Tag("all")
class LettuceClusterLockKindTest extends LockKindConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
