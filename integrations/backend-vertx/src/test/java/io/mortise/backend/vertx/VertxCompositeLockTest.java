package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisCompositeLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Multi-locks and Redlocks on Redis through Vert.x. */
@Tag("all")
class VertxCompositeLockTest extends RedisCompositeLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
