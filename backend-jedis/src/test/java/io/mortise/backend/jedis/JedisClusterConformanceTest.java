package io.mortise.backend.jedis;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;

/** The duties that need no fault, on a Redis Cluster. */
class JedisClusterConformanceTest extends BackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }

  @Override
  public String backendName() {
    return "jedis-cluster";
  }

  @Override
  protected URI uri() {
    return RedisCluster.shared().uri();
  }
}
