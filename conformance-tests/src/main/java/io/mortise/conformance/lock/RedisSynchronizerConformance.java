package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.condition.ConditionProcessRules;
import io.mortise.conformance.lock.permit.LatchCommandRules;
import io.mortise.conformance.lock.permit.PermitCommandRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the semaphore and of the count-down latch on a backend for Redis, also while
 * processes fail. Extend it like {@link RedisLockConformance}.
 */
public abstract class RedisSynchronizerConformance extends SynchronizerConformance
    implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisSynchronizerConformance() {}

  @Nested
  class SemaphoreCommands extends PermitCommandRules {
    SemaphoreCommands() {
      super(RedisSynchronizerConformance.this);
    }
  }

  @Nested
  class LatchCommands extends LatchCommandRules {
    LatchCommands() {
      super(RedisSynchronizerConformance.this);
    }
  }

  @Nested
  class ConditionProcesses extends ConditionProcessRules {
    ConditionProcesses() {
      super(RedisSynchronizerConformance.this);
    }
  }
}
