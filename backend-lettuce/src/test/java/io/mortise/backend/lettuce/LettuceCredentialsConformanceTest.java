package io.mortise.backend.lettuce;

import io.mortise.conformance.spi.RedisCredentialsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;

/** Users and passwords that change, through Lettuce. */
@Tag("all")
class LettuceCredentialsConformanceTest extends RedisCredentialsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new LettuceBackendProvider();
  }
}
