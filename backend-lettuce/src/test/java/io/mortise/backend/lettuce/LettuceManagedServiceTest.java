package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.ManagedServiceConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Servers that look as managed services do, through Lettuce. */
@Tag("ci")
class LettuceManagedServiceTest extends ManagedServiceConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
