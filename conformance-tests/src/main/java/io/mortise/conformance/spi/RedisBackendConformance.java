package io.mortise.conformance.spi;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All duties of the backend contract, for a backend whose store is Redis. The kit starts the
 * servers, breaks links and kills servers.
 *
 * <pre>{@code
 * class JedisConformanceTest extends RedisBackendConformance {
 *   @Override protected LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 *
 * <p>To test a backend that is built around an existing client, override {@link #open(URI)}.
 */
public abstract class RedisBackendConformance extends BackendConformance {
  /** The server of the tests without faults. */
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  /** For the subclass of a backend's author. */
  protected RedisBackendConformance() {}

  /**
   * The server that all tests without faults share.
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

  /**
   * Whether the backend waits for replicas (B24). Override it for one that ignores {@link
   * io.mortise.spi.ScriptCall#acks}.
   *
   * @return true if not overridden
   */
  protected boolean countsReplicas() {
    return true;
  }

  /**
   * Whether the backend serves calls whose round trip takes more than half of their time (B25).
   * Override it for one that makes a connection in the time of a call.
   *
   * @return true if not overridden
   */
  protected boolean servesFarServers() {
    return true;
  }

  @Nested
  class Outage extends OutageDuties {
    Outage() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class Refusals extends RefusalDuties {
    Refusals() {
      super(RedisBackendConformance.this);
    }
  }

  @Nested
  class Replicas extends ReplicaDuties {
    Replicas() {
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
  class FarLink extends FarDuties {
    FarLink() {
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
