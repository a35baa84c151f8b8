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
  class Holders extends HolderRules {
    Holders() {
      super(LockConformance.this);
    }
  }
}
