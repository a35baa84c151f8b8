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
 * The rules of the lock contract on a backend for Redis, and what can be shown with a real server
 * only: commands counted, refusals. {@link RedisLockFaultConformance} goes with it.
 *
 * <pre>{@code
 * class MyLockTest extends RedisLockConformance {
 *   @Override protected LockBackendProvider provider() { return new MyBackendProvider(); }
 * }
 * }</pre>
 */
public abstract class RedisLockConformance extends LockConformance implements RedisKit {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  /** For the subclass that the author of a backend writes. */
  protected RedisLockConformance() {}

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
  class Commands extends CommandRules {
    Commands() {
      super(RedisLockConformance.this);
    }
  }

  @Nested
  class Refusals extends RefusalRules {
    Refusals() {
      super(RedisLockConformance.this);
    }
  }

  @Nested
  class ServerLeaks extends ServerLeakRules {
    ServerLeaks() {
      super(RedisLockConformance.this);
    }
  }
}
