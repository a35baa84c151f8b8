package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.composite.MergedLeaseRules;
import io.mortise.conformance.lock.composite.MultiLeaseRules;
import io.mortise.conformance.lock.composite.MultiRequestRules;
import io.mortise.conformance.lock.composite.MultiRules;
import io.mortise.conformance.lock.composite.MultiTermsRules;
import io.mortise.conformance.lock.composite.MultiTryRules;
import io.mortise.conformance.lock.composite.MultiWaitingRules;
import io.mortise.conformance.lock.composite.RedFenceRules;
import io.mortise.conformance.lock.composite.RedLossRules;
import io.mortise.conformance.lock.composite.RedQuarantineRules;
import io.mortise.conformance.lock.composite.RedRules;
import io.mortise.conformance.lock.composite.RedTermsRules;
import io.mortise.conformance.lock.composite.RedWaitingRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of locks that consist of several on one backend: multi-locks and Redlocks. Extend it
 * like {@link LockConformance}.
 */
public abstract class CompositeLockConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected CompositeLockConformance() {}

  @Nested
  class Multi extends MultiRules {
    Multi() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiWaiting extends MultiWaitingRules {
    MultiWaiting() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiTries extends MultiTryRules {
    MultiTries() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiLeases extends MultiLeaseRules {
    MultiLeases() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MergedLeases extends MergedLeaseRules {
    MergedLeases() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiRequests extends MultiRequestRules {
    MultiRequests() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class Red extends RedRules {
    Red() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedLoss extends RedLossRules {
    RedLoss() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedWaiting extends RedWaitingRules {
    RedWaiting() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedTerms extends RedTermsRules {
    RedTerms() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedQuarantine extends RedQuarantineRules {
    RedQuarantine() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedFence extends RedFenceRules {
    RedFence() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiTerms extends MultiTermsRules {
    MultiTerms() {
      super(CompositeLockConformance.this);
    }
  }
}
