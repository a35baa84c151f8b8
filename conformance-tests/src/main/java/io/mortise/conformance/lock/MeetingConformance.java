package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.exclusive.ExclusionRules;
import io.mortise.conformance.lock.exclusive.FencedRules;
import io.mortise.conformance.lock.granting.FairRules;
import io.mortise.conformance.lock.granting.GrantRules;
import io.mortise.conformance.lock.granting.TakeoverRules;
import io.mortise.conformance.lock.lease.LeaseCallbackRules;
import io.mortise.conformance.lock.multi.MultiWaitingRules;
import io.mortise.conformance.lock.readwrite.ReadWriteRules;
import io.mortise.conformance.lock.readwrite.ReaderQueueRules;
import io.mortise.conformance.lock.waiting.QueueRules;
import io.mortise.conformance.lock.waiting.WaitingRules;
import io.mortise.conformance.lock.waiting.WayInRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of services that share one store through different backends. Each backend that a test
 * opens may be of another kind than the one before.
 */
public abstract class MeetingConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected MeetingConformance() {}

  @Nested
  class Exclusion extends ExclusionRules {
    Exclusion() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Waiting extends WaitingRules {
    Waiting() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class WaysIn extends WayInRules {
    WaysIn() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Queues extends QueueRules {
    Queues() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Grants extends GrantRules {
    Grants() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Takeovers extends TakeoverRules {
    Takeovers() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Fair extends FairRules {
    Fair() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class Fenced extends FencedRules {
    Fenced() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class LeaseCallbacks extends LeaseCallbackRules {
    LeaseCallbacks() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class MultiWaiting extends MultiWaitingRules {
    MultiWaiting() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class ReadWrite extends ReadWriteRules {
    ReadWrite() {
      super(MeetingConformance.this);
    }
  }

  @Nested
  class ReadWriteQueues extends ReaderQueueRules {
    ReadWriteQueues() {
      super(MeetingConformance.this);
    }
  }
}
