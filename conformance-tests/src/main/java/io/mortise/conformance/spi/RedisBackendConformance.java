package io.mortise.conformance.spi;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All duties of the backend contract, for a backend whose store is a Redis: the kit starts the
 * servers, breaks links and kills servers.
 *
 * <pre>{@code
 * class JedisConformanceTest extends RedisBackendConformance {
 *   @Override protected LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 *
 * <p>To test a backend made by hand around a client, override {@link #open(URI)}.
 */
public abstract class RedisBackendConformance extends BackendConformance {
  /** The server of the tests that break nothing. */
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  /** For the subclass that the author of a backend writes. */
  protected RedisBackendConformance() {}

  /**
   * The server that all tests share which break nothing.
   *
   * @return a running server
   */
  protected final RedisServer server() {
    return REDIS.server();
  }

  @Override
  protected URI uri() {
    return server().uri();
  }

  @Nested
  class Outage extends OutageDuties {
    Outage() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class BrokenLink extends LinkDuties {
    BrokenLink() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class Gaps extends GapDuties {
    Gaps() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class Opening extends OpeningDuties {
    Opening() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class Tls extends TlsDuties {
    Tls() {
      super(RedisBackendConformance.this);
    }
  }
}
