package io.mortise.conformance.spi;

import io.mortise.conformance.redis.NamingSentinel;
import io.mortise.spi.LockBackend;
import java.net.URI;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Nested;

/**
 * All duties of the backend contract, for a backend that finds its master by sentinels. The tests
 * of {@link RedisBackendConformance} reach their servers by way of a sentinel. More tests make a
 * real set replace its master.
 *
 * <pre>{@code
 * class JedisSentinelConformanceTest extends RedisSentinelConformance {
 *   @Override protected LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 */
public abstract class RedisSentinelConformance extends RedisBackendConformance {
  /** For the subclass of a backend's author. */
  protected RedisSentinelConformance() {}

  @Override
  protected LockBackend open(URI uri) {
    String scheme = String.valueOf(uri.getScheme());
    Assumptions.assumeFalse(scheme.equals("rediss"), "the sentinels of this test have no TLS");
    return super.open(scheme.equals("redis") ? NamingSentinel.naming(uri) : uri);
  }

  /** Opens a backend by exactly this URI. */
  final LockBackend openAsGiven(URI uri) {
    return super.open(uri);
  }

  @Override
  public String backendName() {
    return super.backendName() + "-sentinel";
  }

  @Nested
  class Failover extends FailoverDuties {
    Failover() {
      super(RedisSentinelConformance.this);
    }
  }

  @Nested
  class Messages extends OpeningMessageDuties {
    Messages() {
      super(RedisSentinelConformance.this);
    }
  }

  @Nested
  class NamedServers extends NamedServerMessageDuties {
    NamedServers() {
      super(RedisSentinelConformance.this);
    }
  }

  @Nested
  class Idle extends IdleDuties {
    Idle() {
      super(RedisSentinelConformance.this);
    }
  }

  @Nested
  class Sentinels extends SentinelDuties {
    Sentinels() {
      super(RedisSentinelConformance.this);
    }
  }
}
