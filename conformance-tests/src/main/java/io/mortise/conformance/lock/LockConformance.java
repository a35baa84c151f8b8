package io.mortise.conformance.lock;

import org.junit.jupiter.api.Nested;

/**
 * The rules of the lock contract on one backend, whatever its store. {@link LockFaultConformance}
 * goes with it: a test class of its own, so that a build can run both at a time.
 *
 * <pre>{@code
 * class MyLockTest extends LockConformance {
 *   @Override public String backendName() { return "mine"; }
 *   @Override protected LockBackend openBackend() { … }
 * }
 * }</pre>
 *
 * <p>The tests use lock names of their own, so the store need not be empty.
 */
public abstract class LockConformance extends LockKit {
  /** For the subclass that the author of a backend writes. */
  protected LockConformance() {}

  @Nested
  class Ownership extends OwnershipRules {
    Ownership() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Exclusion extends ExclusionRules {
    Exclusion() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Waiting extends WaitingRules {
    Waiting() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Fair extends FairRules {
    Fair() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Fenced extends FencedRules {
    Fenced() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Leases extends LeaseRules {
    Leases() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Queues extends QueueRules {
    Queues() {
      super(LockConformance.this);
    }
  }

  @Nested
  class QueueScripts extends QueueScriptRules {
    QueueScripts() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Listeners extends ListenerRules {
    Listeners() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Closing extends ClosingRules {
    Closing() {
      super(LockConformance.this);
    }
  }

  @Nested
  class BadInput extends BadInputRules {
    BadInput() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Contract extends ContractRules {
    Contract() {
      super(LockConformance.this);
    }
  }

  @Nested
  class HandOvers extends HandOverRules {
    HandOvers() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Takeovers extends TakeoverRules {
    Takeovers() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Keeper extends KeeperRules {
    Keeper() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Leaks extends LeakRules {
    Leaks() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Multi extends MultiRules {
    Multi() {
      super(LockConformance.this);
    }
  }

  @Nested
  class MultiWaiting extends MultiWaitingRules {
    MultiWaiting() {
      super(LockConformance.this);
    }
  }

  @Nested
  class MultiLeases extends MultiLeaseRules {
    MultiLeases() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Async extends AsyncRules {
    Async() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ClaimRaces extends ClaimRaceRules {
    ClaimRaces() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ClaimCallbacks extends ClaimCallbackRules {
    ClaimCallbacks() {
      super(LockConformance.this);
    }
  }

  @Nested
  class MergedLeases extends MergedLeaseRules {
    MergedLeases() {
      super(LockConformance.this);
    }
  }

  @Nested
  class MultiClaims extends MultiClaimRules {
    MultiClaims() {
      super(LockConformance.this);
    }
  }

  @Nested
  class LeaseValues extends LeaseValueRules {
    LeaseValues() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Red extends RedRules {
    Red() {
      super(LockConformance.this);
    }
  }

  @Nested
  class RedLoss extends RedLossRules {
    RedLoss() {
      super(LockConformance.this);
    }
  }

  @Nested
  class MultiTerms extends MultiTermsRules {
    MultiTerms() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Guards extends GuardRules {
    Guards() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWrite extends RwRules {
    ReadWrite() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteQueues extends RwQueueRules {
    ReadWriteQueues() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteLeases extends RwLeaseRules {
    ReadWriteLeases() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteFaults extends RwFaultRules {
    ReadWriteFaults() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteContract extends RwContractRules {
    ReadWriteContract() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteLoad extends RwLoadRules {
    ReadWriteLoad() {
      super(LockConformance.this);
    }
  }

  @Nested
  class ReadWriteScripts extends RwScriptRules {
    ReadWriteScripts() {
      super(LockConformance.this);
    }
  }
}
