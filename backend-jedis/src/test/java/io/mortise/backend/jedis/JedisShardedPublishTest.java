package io.mortise.backend.jedis;

import io.mortise.conformance.lock.ShardedPublishConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Messages on a service that shards PUBLISH, through Jedis. */
@Tag("ci")
class JedisShardedPublishTest extends ShardedPublishConformance {
  @Override
  public LockBackendProvider provider() {
    return new JedisBackendProvider();
  }
}
