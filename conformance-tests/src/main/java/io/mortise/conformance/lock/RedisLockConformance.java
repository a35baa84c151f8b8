package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.exclusive.CommandRules;
import io.mortise.conformance.lock.service.RefusalRules;
import io.mortise.conformance.lock.service.ServerLeakRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the plain lock on a backend for Redis, with those that need a real server: counted
 * commands and refusals. Extend {@link RedisLockFaultConformance} too.
 *
 * <pre>{@code
 * class MyLockTest extends RedisLockConformance {
 *   @Override public LockBackendProvider provider() { return new MyBackendProvider(); }
 * }
 * }</pre>
 */
public abstract class RedisLockConformance extends LockConformance implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisLockConformance() {}

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
