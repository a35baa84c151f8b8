package io.mortise.backend.vertx;

import io.mortise.conformance.spi.RedisCredentialsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Users and passwords that change, through Vert.x. */
@Tag("all")
@ExtendWith(NotServed.class)
class VertxCredentialsConformanceTest extends RedisCredentialsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
