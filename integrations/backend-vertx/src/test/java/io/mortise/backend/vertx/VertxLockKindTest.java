package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisLockKindConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** All other kinds of lock on Redis through Vert.x. */
@Tag("all")
class VertxLockKindTest extends RedisLockKindConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
