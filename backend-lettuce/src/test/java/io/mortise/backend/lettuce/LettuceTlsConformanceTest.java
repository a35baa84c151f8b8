package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisTlsConformance;
import io.mortise.spi.LockBackendProvider;

/** TLS with certificates on both sides, through Lettuce. */
class LettuceTlsConformanceTest extends RedisTlsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
