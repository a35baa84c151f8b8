package io.mortise.conformance.lock;

import org.junit.jupiter.api.Nested;

/**
 * The rules of every other kind of lock on one backend: fair, fenced, read/write, several as one,
 * and leases. It is extended as {@link LockConformance} is.
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
  class ClaimRaces extends ClaimRaceRules {
    ClaimRaces() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class ClaimCallbacks extends ClaimCallbackRules {
    ClaimCallbacks() {
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
  class MultiClaims extends MultiClaimRules {
    MultiClaims() {
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
