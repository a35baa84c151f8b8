package io.mortise.backend.jedis;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.CompositeLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on a Redis Cluster through Jedis. */
@Tag("all")
class JedisClusterCompositeLockTest extends CompositeLockConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
