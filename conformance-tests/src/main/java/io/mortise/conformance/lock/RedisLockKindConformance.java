package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.exclusive.GuardProcessRules;
import io.mortise.conformance.lock.fault.FullServerRules;
import io.mortise.conformance.lock.fault.RivalServerRules;
import io.mortise.conformance.lock.granting.FairHistoryRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the other kinds of lock on a backend for Redis, also while servers and processes
 * fail. Extend it like {@link RedisLockConformance}.
 */
public abstract class RedisLockKindConformance extends LockKindConformance implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisLockKindConformance() {}

  @Nested
  class GuardProcesses extends GuardProcessRules {
    GuardProcesses() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class FairHistories extends FairHistoryRules {
    FairHistories() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class RivalServers extends RivalServerRules {
    RivalServers() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class FullServers extends FullServerRules {
    FullServers() {
      super(RedisLockKindConformance.this);
    }
  }
}
