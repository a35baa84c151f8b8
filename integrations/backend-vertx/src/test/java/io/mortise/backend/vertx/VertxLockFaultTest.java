package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The lock contract under faults on Redis through Vert.x. */
@Tag("all")
class VertxLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
