package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisTlsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** TLS with certificates on both sides, through Lettuce. */
@Tag("all")
class LettuceTlsConformanceTest extends RedisTlsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
