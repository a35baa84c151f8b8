package io.mortise.conformance;

import io.mortise.conformance.redis.ShardedPublish;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.time.Duration;
import java.util.Map;

/**
 * A kit for a service that shards PUBLISH. It needs only a provider of {@code redis-cluster} URIs.
 * All classes of a JVM share one stand-in. Without a redis-server on the {@code PATH}, their tests
 * are skipped.
 */
public interface ShardedPublishKit extends LockKit {
  /**
   * The provider under test.
   *
   * @return a new instance or always the same
   */
  LockBackendProvider provider();

  @Override
  default String backendName() {
    return provider().name() + "-sharded-publish";
  }

  @Override
  default LockBackend openBackend() {
    return provider()
        .open(
            new BackendConfig(
                ShardedPublish.shared().uri(), Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }
}
