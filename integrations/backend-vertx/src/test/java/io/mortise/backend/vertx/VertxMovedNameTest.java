package io.mortise.backend.vertx;

import io.mortise.conformance.lock.MovedServerConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** The name of a server that moves, through Vert.x. */
@Tag("all")
class VertxMovedNameTest extends MovedServerConformance {
  @Override
  public LockBackendProvider provider() {
    return new VertxBackendProvider();
  }

  @Override
  protected Class<?> process() {
    return NamedProcess.class;
  }
}
