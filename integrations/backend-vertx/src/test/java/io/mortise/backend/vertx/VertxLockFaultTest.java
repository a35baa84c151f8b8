package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisLockFaultConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The lock contract under faults on Redis through Vert.x. */
@Tag("all")
@ExtendWith(NotServed.class)
class VertxLockFaultTest extends RedisLockFaultConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
