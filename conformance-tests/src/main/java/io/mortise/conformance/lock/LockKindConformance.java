package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.exclusive.DurationRules;
import io.mortise.conformance.lock.exclusive.FencedRules;
import io.mortise.conformance.lock.exclusive.GuardRules;
import io.mortise.conformance.lock.exclusive.TaggedNameRules;
import io.mortise.conformance.lock.fault.RivalRules;
import io.mortise.conformance.lock.forcing.ForcedByIdRules;
import io.mortise.conformance.lock.granting.FairRules;
import io.mortise.conformance.lock.lease.AsyncRules;
import io.mortise.conformance.lock.lease.ElectionEndRules;
import io.mortise.conformance.lock.lease.ExecutorRules;
import io.mortise.conformance.lock.lease.LeaseCallbackRules;
import io.mortise.conformance.lock.lease.LeaseHandOffRules;
import io.mortise.conformance.lock.lease.LeaseRaceRules;
import io.mortise.conformance.lock.lease.LeaseValueRules;
import io.mortise.conformance.lock.lease.LeaveLaterRules;
import io.mortise.conformance.lock.lease.LostHoldRules;
import io.mortise.conformance.lock.lease.MaxHoldRules;
import io.mortise.conformance.lock.lease.ReplicaRules;
import io.mortise.conformance.lock.lease.WorkRules;
import io.mortise.conformance.lock.looking.FindRules;
import io.mortise.conformance.lock.service.RedeployRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the other kinds of lock on one backend: fair and fenced locks, guards, and leases.
 * Extend it like {@link LockConformance}.
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
  class Async extends AsyncRules {
    Async() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Replicas extends ReplicaRules {
    Replicas() {
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
  class LeaseHandOffs extends LeaseHandOffRules {
    LeaseHandOffs() {
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
  class LeaseValues extends LeaseValueRules {
    LeaseValues() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Redeployments extends RedeployRules {
    Redeployments() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class ElectionEnds extends ElectionEndRules {
    ElectionEnds() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Executors extends ExecutorRules {
    Executors() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class LostHolds extends LostHoldRules {
    LostHolds() {
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
  class Work extends WorkRules {
    Work() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class ForcedById extends ForcedByIdRules {
    ForcedById() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class Finding extends FindRules {
    Finding() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class LeaveLater extends LeaveLaterRules {
    LeaveLater() {
      super(LockKindConformance.this);
    }
  }

  @Nested
  class MaxHolds extends MaxHoldRules {
    MaxHolds() {
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
