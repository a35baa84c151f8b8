package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.ShardedPublishConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Messages on a service that shards PUBLISH, through Lettuce. */
@Tag("ci")
class LettuceShardedPublishTest extends ShardedPublishConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
