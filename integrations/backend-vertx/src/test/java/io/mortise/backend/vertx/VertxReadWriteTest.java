package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisReadWriteConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The read/write lock on Redis through Vert.x. */
@Tag("all")
class VertxReadWriteTest extends RedisReadWriteConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
