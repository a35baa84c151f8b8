package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.exclusive.ProcessRules;
import io.mortise.conformance.lock.fault.ClockStepRules;
import io.mortise.conformance.lock.fault.LossRules;
import io.mortise.conformance.lock.fault.SlowServerRules;
import io.mortise.conformance.lock.fault.SoakRules;
import io.mortise.conformance.lock.fault.WaitingFaultRules;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The rules of locks on a backend for Redis while links and servers fail and processes are killed.
 * Extend it like {@link RedisLockConformance}. It is a test class of its own, so that a build can
 * run both at the same time.
 */
public abstract class RedisLockFaultConformance extends LockFaultConformance implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisLockFaultConformance() {}

  @Nested
  class Processes extends ProcessRules {
    Processes() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class Losses extends LossRules {
    Losses() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class WaitingFaults extends WaitingFaultRules {
    WaitingFaults() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class SlowServers extends SlowServerRules {
    SlowServers() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  @EnabledIf(
      value = "io.mortise.conformance.redis.RedisServer#canHaveMovableClock",
      disabledReason = "a server's clock can be stepped on Linux, with a C compiler")
  class ClockSteps extends ClockStepRules {
    ClockSteps() {
      super(RedisLockFaultConformance.this);
    }
  }

  @Nested
  class Soak extends SoakRules {
    Soak() {
      super(RedisLockFaultConformance.this);
    }
  }
}
