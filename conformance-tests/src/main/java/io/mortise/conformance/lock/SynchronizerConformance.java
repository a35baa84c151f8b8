package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.condition.ConditionRules;
import io.mortise.conformance.lock.condition.SharedConditionRules;
import io.mortise.conformance.lock.permit.LatchFaultRules;
import io.mortise.conformance.lock.permit.LatchRules;
import io.mortise.conformance.lock.permit.SemBadInputRules;
import io.mortise.conformance.lock.permit.SemFaultRules;
import io.mortise.conformance.lock.permit.SemHandOffRules;
import io.mortise.conformance.lock.permit.SemLifeRules;
import io.mortise.conformance.lock.permit.SemLoadRules;
import io.mortise.conformance.lock.permit.SemReturnFaultRules;
import io.mortise.conformance.lock.permit.SemReturnRules;
import io.mortise.conformance.lock.permit.SemRules;
import io.mortise.conformance.lock.permit.SemScriptRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of conditions, the semaphore and the count-down latch on a backend of any kind. Extend
 * it like {@link LockConformance}.
 */
public abstract class SynchronizerConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected SynchronizerConformance() {}

  @Nested
  class Semaphores extends SemRules {
    Semaphores() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreLife extends SemLifeRules {
    SemaphoreLife() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreFaults extends SemFaultRules {
    SemaphoreFaults() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreReturns extends SemReturnRules {
    SemaphoreReturns() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreReturnFaults extends SemReturnFaultRules {
    SemaphoreReturnFaults() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreLoad extends SemLoadRules {
    SemaphoreLoad() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreHandOffs extends SemHandOffRules {
    SemaphoreHandOffs() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreScripts extends SemScriptRules {
    SemaphoreScripts() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreBadInput extends SemBadInputRules {
    SemaphoreBadInput() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class Latches extends LatchRules {
    Latches() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class LatchFaults extends LatchFaultRules {
    LatchFaults() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class Conditions extends ConditionRules {
    Conditions() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SharedConditions extends SharedConditionRules {
    SharedConditions() {
      super(SynchronizerConformance.this);
    }
  }
}
