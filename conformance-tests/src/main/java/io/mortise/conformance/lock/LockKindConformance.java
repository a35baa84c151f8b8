package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.composite.MergedLeaseRules;
import io.mortise.conformance.lock.composite.MultiLeaseRules;
import io.mortise.conformance.lock.composite.MultiRequestRules;
import io.mortise.conformance.lock.composite.MultiRules;
import io.mortise.conformance.lock.composite.MultiTermsRules;
import io.mortise.conformance.lock.composite.MultiTryRules;
import io.mortise.conformance.lock.composite.MultiWaitingRules;
import io.mortise.conformance.lock.composite.RedLossRules;
import io.mortise.conformance.lock.composite.RedRules;
import io.mortise.conformance.lock.composite.RedTermsRules;
import io.mortise.conformance.lock.composite.RedWaitingRules;
import io.mortise.conformance.lock.exclusive.DurationRules;
import io.mortise.conformance.lock.exclusive.FairRules;
import io.mortise.conformance.lock.exclusive.FencedRules;
import io.mortise.conformance.lock.exclusive.GuardRules;
import io.mortise.conformance.lock.exclusive.TaggedNameRules;
import io.mortise.conformance.lock.fault.RivalRules;
import io.mortise.conformance.lock.lease.AsyncRules;
import io.mortise.conformance.lock.lease.LeaseCallbackRules;
import io.mortise.conformance.lock.lease.LeaseRaceRules;
import io.mortise.conformance.lock.lease.LeaseValueRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the other kinds of lock on one backend: fair, fenced, multi-lock, Redlock, and
 * leases. Extend it like {@link LockConformance}.
 */
public abstract class LockKindConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected LockKindConformance() {}

  @Nested
  class Fair extends FairRules {
    Fair() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Fenced extends FencedRules {
    Fenced() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Rivals extends RivalRules {
    Rivals() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Multi extends MultiRules {
    Multi() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MultiWaiting extends MultiWaitingRules {
    MultiWaiting() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MultiTries extends MultiTryRules {
    MultiTries() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MultiLeases extends MultiLeaseRules {
    MultiLeases() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Async extends AsyncRules {
    Async() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class LeaseRaces extends LeaseRaceRules {
    LeaseRaces() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class LeaseCallbacks extends LeaseCallbackRules {
    LeaseCallbacks() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MergedLeases extends MergedLeaseRules {
    MergedLeases() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MultiRequests extends MultiRequestRules {
    MultiRequests() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class LeaseValues extends LeaseValueRules {
    LeaseValues() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Durations extends DurationRules {
    Durations() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class TaggedNames extends TaggedNameRules {
    TaggedNames() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Red extends RedRules {
    Red() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class RedLoss extends RedLossRules {
    RedLoss() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class RedWaiting extends RedWaitingRules {
    RedWaiting() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class RedTerms extends RedTermsRules {
    RedTerms() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MultiTerms extends MultiTermsRules {
    MultiTerms() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Guards extends GuardRules {
    Guards() {
      super(LockKindConformance.this);
    }
  }
}
