package io.mortise.conformance;

import io.mortise.conformance.redis.NamingSentinel;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import java.net.URI;

/**
 * A kit for stores that are a master named by sentinels. The shared server is the master of a real
 * set. Servers of a test's own are named by a sentinel that never connects to them.
 *
 * <pre>{@code
 * class JedisSentinelLockTest extends RedisLockConformance implements SentinelKit {
 *   @Override public LockBackendProvider provider() { return new JedisBackendProvider(); }
 * }
 * }</pre>
 */
public interface SentinelKit extends RedisKit {
  @Override
  default String backendName() {
    return provider().name() + "-sentinel";
  }

  @Override
  default RedisServer server() {
    return RedisSentinels.shared().master();
  }

  @Override
  default URI reached(URI server) {
    RedisSentinels set = RedisSentinels.shared();
    boolean isShared = server.equals(set.servers().get(0).uri());
    return isShared ? set.uri() : NamingSentinel.naming(server);
  }
}
