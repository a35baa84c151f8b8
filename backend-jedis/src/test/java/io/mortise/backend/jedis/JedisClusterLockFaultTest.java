package io.mortise.backend.jedis;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.LockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract while links fail on a Redis Cluster through Jedis. */
@Tag("all")
class JedisClusterLockFaultTest extends LockFaultConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
