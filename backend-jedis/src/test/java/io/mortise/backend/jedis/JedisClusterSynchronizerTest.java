package io.mortise.backend.jedis;

import io.mortise.conformance.ClusterKit;
import io.mortise.conformance.lock.SynchronizerConformance;
import io.mortise.spi.LockBackendProvider;

/** Conditions, semaphores and latches on a Redis Cluster through Jedis. */
class JedisClusterSynchronizerTest extends SynchronizerConformance implements ClusterKit {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
