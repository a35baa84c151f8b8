package io.mortise.backend.vertx;

import io.mortise.conformance.lock.RedisSynchronizerConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Conditions, semaphores and latches on Redis through Vert.x. */
@Tag("all")
class VertxSynchronizerTest extends RedisSynchronizerConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
