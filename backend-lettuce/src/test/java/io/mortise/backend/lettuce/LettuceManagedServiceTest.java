package io.mortise.backend.lettuce;

import io.mortise.conformance.lock.ManagedServiceConformance;
import io.mortise.spi.LockBackendProvider;

/** Servers that look as managed services do, through Lettuce. */
class LettuceManagedServiceTest extends ManagedServiceConformance {
  @Override
  public LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
