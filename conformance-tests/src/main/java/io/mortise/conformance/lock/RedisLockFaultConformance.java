package io.mortise.conformance.lock;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The rules of the lock contract on a backend for Redis while links and servers fail and processes
 * are killed. It is extended as {@link RedisLockConformance} is, and a test class of its own so
 * that a build can run both at a time.
 */
public abstract class RedisLockFaultConformance extends LockFaultConformance implements RedisKit {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  /** For the subclass that the author of a backend writes. */
  protected RedisLockFaultConformance() {}

  /**
   * The provider under test; it must also be found by name.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name();
  }

  @Override
  protected LockBackend openBackend() {
    return open(server().uri());
  }

  /**
   * Opens a backend by a way of the test's own.
   *
   * @param uri where the server is
   * @return an open backend
   */
  @Override
  public LockBackend open(URI uri) {
    return provider().open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }

  /**
   * The server that the tests share.
   *
   * @return a running one
   */
  @Override
  public RedisServer server() {
    return REDIS.server();
  }

  @Nested
  class Processes extends ProcessRules {
    Processes() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class Losses extends LossRules {
    Losses() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class WaitingFaults extends WaitingFaultRules {
    WaitingFaults() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class SlowServers extends SlowServerRules {
    SlowServers() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class Soak extends SoakRules {
    Soak() {
      super(RedisLockFaultConformance.this);
    }
  }
}
