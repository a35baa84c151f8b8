package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisLockConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** The lock contract on Redis through Vert.x. */
@Tag("all")
@ExtendWith(NotServed.class)
class VertxLockTest extends RedisLockConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
