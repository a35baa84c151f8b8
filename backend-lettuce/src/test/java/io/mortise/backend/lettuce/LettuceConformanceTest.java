package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisBackendConformance;
import io.mortise.spi.LockBackendProvider;

/** The backend contract on the provider's own client. */
final class LettuceConformanceTest extends RedisBackendConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
