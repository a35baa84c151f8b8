package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.composite.RedFaultRules;
import io.mortise.conformance.lock.composite.RedRestartRules;
import io.mortise.conformance.lock.composite.RedServerRules;
import io.mortise.conformance.lock.composite.RedSoakRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of multi-locks and Redlocks on a backend for Redis, also while servers and processes
 * fail. Extend it like {@link RedisLockConformance}.
 */
public abstract class RedisCompositeLockConformance extends CompositeLockConformance
    implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisCompositeLockConformance() {}

  @Nested
  class RedMembers extends RedServerRules {
    RedMembers() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedRestarts extends RedRestartRules {
    RedRestarts() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedFaults extends RedFaultRules {
    RedFaults() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedSoak extends RedSoakRules {
    RedSoak() {
      super(RedisCompositeLockConformance.this);
    }
  }
}
