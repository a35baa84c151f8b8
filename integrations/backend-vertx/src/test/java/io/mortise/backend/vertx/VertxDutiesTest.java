package io.mortise.backend.vertx;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The duties that one server without faults shows. */
@Tag("ci")
class VertxDutiesTest extends BackendConformance {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  @Override
  protected LockBackendProvider provider() {
    return new VertxBackendProvider();
  }

  @Override
  protected URI uri() {
    return REDIS.server().uri();
  }
}
