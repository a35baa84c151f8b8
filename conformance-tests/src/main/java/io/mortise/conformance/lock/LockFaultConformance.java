package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.fault.LateReplyRules;
import io.mortise.conformance.lock.fault.LeaseChangeRules;
import io.mortise.conformance.lock.fault.OutageRules;
import io.mortise.conformance.lock.fault.UnknownOutcomeRules;
import io.mortise.conformance.lock.forcing.ForcedRules;
import io.mortise.conformance.lock.granting.GrantInReplyRules;
import io.mortise.conformance.lock.waiting.GivingUpRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of locks on one backend while commands get lost, replies come late and the store is out
 * of reach. Extend it like {@link LockConformance}.
 */
public abstract class LockFaultConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected LockFaultConformance() {}

  @Nested
  class LeaseChanges extends LeaseChangeRules {
    LeaseChanges() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class Outages extends OutageRules {
    Outages() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class UnknownOutcomes extends UnknownOutcomeRules {
    UnknownOutcomes() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class LateReplies extends LateReplyRules {
    LateReplies() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class Named extends GrantInReplyRules {
    Named() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class Forced extends ForcedRules {
    Forced() {
      super(LockFaultConformance.this);
    }
  }

  @Nested
  class GivingUp extends GivingUpRules {
    GivingUp() {
      super(LockFaultConformance.this);
    }
  }
}
