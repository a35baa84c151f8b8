package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;

/** The backend contract, with a client of the provider's own. */
final class LettuceConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
