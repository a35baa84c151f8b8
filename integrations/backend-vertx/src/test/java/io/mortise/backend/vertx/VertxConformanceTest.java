package io.mortise.backend.vertx;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All duties, with links and servers that fail. */
@Tag("all")
class VertxConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new VertxBackendProvider();
  }

  @Override
  protected boolean countsReplicas() {
    return false;
  }
}
