package io.mortise.backend.jedis;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.CompositeLockConformance;
import io.mortise.spi.LockBackendProvider;

/** Multi-locks and Redlocks on a Redis Cluster through Jedis. */
class JedisClusterCompositeLockTest extends CompositeLockConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
