package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.exclusive.BadInputRules;
import io.mortise.conformance.lock.exclusive.ContractRules;
import io.mortise.conformance.lock.exclusive.ExclusionRules;
import io.mortise.conformance.lock.exclusive.HandleRules;
import io.mortise.conformance.lock.exclusive.OptionRules;
import io.mortise.conformance.lock.exclusive.OwnershipRules;
import io.mortise.conformance.lock.granting.GrantRules;
import io.mortise.conformance.lock.granting.TakeoverRules;
import io.mortise.conformance.lock.handoff.OlderVersionRules;
import io.mortise.conformance.lock.handoff.RetainRules;
import io.mortise.conformance.lock.handoff.StoppedRules;
import io.mortise.conformance.lock.handoff.WantedRules;
import io.mortise.conformance.lock.lease.KeeperRules;
import io.mortise.conformance.lock.lease.LeaseRules;
import io.mortise.conformance.lock.looking.AttemptRules;
import io.mortise.conformance.lock.looking.EventOrderRules;
import io.mortise.conformance.lock.looking.HolderRules;
import io.mortise.conformance.lock.looking.HoldsRules;
import io.mortise.conformance.lock.looking.ListenerRules;
import io.mortise.conformance.lock.service.ClosingRules;
import io.mortise.conformance.lock.service.DrainRules;
import io.mortise.conformance.lock.service.LeakRules;
import io.mortise.conformance.lock.waiting.ForkJoinRules;
import io.mortise.conformance.lock.waiting.QueueRules;
import io.mortise.conformance.lock.waiting.QueueScriptRules;
import io.mortise.conformance.lock.waiting.WaitingRules;
import io.mortise.conformance.lock.waiting.WayInRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the plain lock on one backend, whatever its store. Extend {@link
 * LockFaultConformance} too. It is a test class of its own, so that a build can run both at the
 * same time.
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
public abstract class LockConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected LockConformance() {}

  @Nested
  class Ownership extends OwnershipRules {
    Ownership() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Handles extends HandleRules {
    Handles() {
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
  class Options extends OptionRules {
    Options() {
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
  class WaysIn extends WayInRules {
    WaysIn() {
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
  class ForkJoin extends ForkJoinRules {
    ForkJoin() {
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
  class Attempts extends AttemptRules {
    Attempts() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Holds extends HoldsRules {
    Holds() {
      super(LockConformance.this);
    }
  }

  @Nested
  class EventOrder extends EventOrderRules {
    EventOrder() {
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
  class Drain extends DrainRules {
    Drain() {
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
  class Grants extends GrantRules {
    Grants() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Retained extends RetainRules {
    Retained() {
      super(LockConformance.this);
    }
  }

  @Nested
  class Stopped extends StoppedRules {
    Stopped() {
      super(LockConformance.this);
    }
  }

  @Nested
  class OlderVersions extends OlderVersionRules {
    OlderVersions() {
      super(LockConformance.this);
    }
  }

  @Nested
  class WantedLocks extends WantedRules {
    WantedLocks() {
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
  class Holders extends HolderRules {
    Holders() {
      super(LockConformance.this);
    }
  }
}
