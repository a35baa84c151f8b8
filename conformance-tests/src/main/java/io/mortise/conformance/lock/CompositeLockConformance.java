package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.multi.MergedLeaseRules;
import io.mortise.conformance.lock.multi.MultiLeaseRules;
import io.mortise.conformance.lock.multi.MultiNamesFaultRules;
import io.mortise.conformance.lock.multi.MultiNamesRules;
import io.mortise.conformance.lock.multi.MultiRequestRules;
import io.mortise.conformance.lock.multi.MultiRules;
import io.mortise.conformance.lock.multi.MultiTermsRules;
import io.mortise.conformance.lock.multi.MultiTryRules;
import io.mortise.conformance.lock.multi.MultiWaitingRules;
import io.mortise.conformance.lock.redlock.MajorityLossRules;
import io.mortise.conformance.lock.redlock.MajorityRules;
import io.mortise.conformance.lock.redlock.MajorityTermsRules;
import io.mortise.conformance.lock.redlock.MajorityTokenRules;
import io.mortise.conformance.lock.redlock.MajorityWaitingRules;
import io.mortise.conformance.lock.redlock.QuarantineRules;
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
  class MultiNames extends MultiNamesRules {
    MultiNames() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class MultiNamesFaults extends MultiNamesFaultRules {
    MultiNamesFaults() {
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
  class Red extends MajorityRules {
    Red() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedLoss extends MajorityLossRules {
    RedLoss() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedWaiting extends MajorityWaitingRules {
    RedWaiting() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedTerms extends MajorityTermsRules {
    RedTerms() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedQuarantine extends QuarantineRules {
    RedQuarantine() {
      super(CompositeLockConformance.this);
    }
  }

  @Nested
  class RedFence extends MajorityTokenRules {
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
