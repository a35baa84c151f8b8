package io.mortise.conformance;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.time.Duration;
import java.util.Map;

/**
 * A kit for stores that are Redis Clusters. It needs only a provider of {@code redis-cluster} URIs.
 * All classes of a JVM share one cluster. Without a redis-server on the {@code PATH}, their tests
 * are skipped.
 */
public interface ClusterKit extends LockKit {
  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  LockBackendProvider provider();

  @Override
  default String backendName() {
    return provider().name() + "-cluster";
  }

  @Override
  default LockBackend openBackend() {
    return provider()
        .open(
            new BackendConfig(
                RedisCluster.shared().uri(), Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }
}
