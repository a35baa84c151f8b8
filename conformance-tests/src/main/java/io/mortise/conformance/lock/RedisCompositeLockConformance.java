package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.redlock.MajoritySoakRules;
import io.mortise.conformance.lock.redlock.MemberFaultRules;
import io.mortise.conformance.lock.redlock.MemberRestartRules;
import io.mortise.conformance.lock.redlock.MemberServerRules;
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
  class RedMembers extends MemberServerRules {
    RedMembers() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedRestarts extends MemberRestartRules {
    RedRestarts() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedFaults extends MemberFaultRules {
    RedFaults() {
      super(RedisCompositeLockConformance.this);
    }
  }

  @Nested
  class RedSoak extends MajoritySoakRules {
    RedSoak() {
      super(RedisCompositeLockConformance.this);
    }
  }
}
