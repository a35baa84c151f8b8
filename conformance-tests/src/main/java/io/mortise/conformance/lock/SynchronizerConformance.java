package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.condition.ConditionRules;
import io.mortise.conformance.lock.condition.SharedConditionRules;
import io.mortise.conformance.lock.permit.LatchFaultRules;
import io.mortise.conformance.lock.permit.LatchRules;
import io.mortise.conformance.lock.permit.PermitFaultRules;
import io.mortise.conformance.lock.permit.PermitHandOffRules;
import io.mortise.conformance.lock.permit.PermitHolderRules;
import io.mortise.conformance.lock.permit.PermitInputRules;
import io.mortise.conformance.lock.permit.PermitLoadRules;
import io.mortise.conformance.lock.permit.PermitRoomRules;
import io.mortise.conformance.lock.permit.PermitRules;
import io.mortise.conformance.lock.permit.PermitScriptRules;
import io.mortise.conformance.lock.permit.ReturnFaultRules;
import io.mortise.conformance.lock.permit.ReturnRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of conditions, the semaphore and the count-down latch on a backend of any kind. Extend
 * it like {@link LockConformance}.
 */
public abstract class SynchronizerConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected SynchronizerConformance() {}

  @Nested
  class Semaphores extends PermitRules {
    Semaphores() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreLife extends PermitHolderRules {
    SemaphoreLife() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreFaults extends PermitFaultRules {
    SemaphoreFaults() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreReturns extends ReturnRules {
    SemaphoreReturns() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreReturnFaults extends ReturnFaultRules {
    SemaphoreReturnFaults() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreLoad extends PermitLoadRules {
    SemaphoreLoad() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreHandOffs extends PermitHandOffRules {
    SemaphoreHandOffs() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreScripts extends PermitScriptRules {
    SemaphoreScripts() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreRoom extends PermitRoomRules {
    SemaphoreRoom() {
      super(SynchronizerConformance.this);
    }
  }

  @Nested
  class SemaphoreBadInput extends PermitInputRules {
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
