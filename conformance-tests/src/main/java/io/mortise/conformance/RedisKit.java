package io.mortise.conformance;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A kit for stores that are Redis servers. It needs only a provider. */
public interface RedisKit extends LockKit {
  /** Starts and stops the server of a test class. */
  @RegisterExtension RedisExtension REDIS = RedisExtension.installed();

  /**
   * The provider under test. It must also be found by name.
   *
   * @return a new instance or always the same
   */
  LockBackendProvider provider();

  @Override
  default String backendName() {
    return provider().name();
  }

  @Override
  default LockBackend openBackend() {
    return open(server().uri());
  }

  /**
   * Opens a backend in a way that the test chooses.
   *
   * @param uri where the server is
   * @return an open backend
   */
  default LockBackend open(URI uri) {
    URI reached = reached(uri);
    return provider()
        .open(new BackendConfig(reached, Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }

  /**
   * The URI by which services and backends reach a server.
   *
   * @param server the server's own URI
   * @return the same, unless the way to a server has another
   */
  default URI reached(URI server) {
    return server;
  }

  /**
   * The server that the tests share.
   *
   * @return a running server
   */
  default RedisServer server() {
    return REDIS.server();
  }
}
