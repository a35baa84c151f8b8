package io.mortise.backend.vertx;

import io.mortise.conformance.spi.RedisTlsConformance;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** TLS with certificates on both sides, through Vert.x. */
@Tag("all")
@ExtendWith(NotServed.class)
class VertxTlsConformanceTest extends RedisTlsConformance {
  @Override
  protected LockBackendProvider provider() {
    return new VertxBackendProvider();
  }
}
