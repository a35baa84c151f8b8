package io.mortise.backend.lettuce;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;

/** The duties that need no fault, on a Redis Cluster. */
class LettuceClusterConformanceTest extends BackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }

  @Override
  public String backendName() {
    return "lettuce-cluster";
  }

  @Override
  protected URI uri() {
    return RedisCluster.shared().uri();
  }
}
