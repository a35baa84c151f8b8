package io.mortise.backend.jedis;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.SynchronizerConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Conditions, semaphores and latches on a Redis Cluster through Jedis. */
@Tag("all")
class JedisClusterSynchronizerTest extends SynchronizerConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
