package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.readwrite.RwContractRules;
import io.mortise.conformance.lock.readwrite.RwFaultRules;
import io.mortise.conformance.lock.readwrite.RwLeaseRules;
import io.mortise.conformance.lock.readwrite.RwLoadRules;
import io.mortise.conformance.lock.readwrite.RwQueueRules;
import io.mortise.conformance.lock.readwrite.RwRules;
import io.mortise.conformance.lock.readwrite.RwScriptRules;
import io.mortise.conformance.lock.readwrite.RwShareRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the read/write lock on a backend of any kind. Extend it like {@link
 * LockConformance}.
 */
public abstract class ReadWriteConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected ReadWriteConformance() {}

  @Nested
  class ReadWrite extends RwRules {
    ReadWrite() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteQueues extends RwQueueRules {
    ReadWriteQueues() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteLeases extends RwLeaseRules {
    ReadWriteLeases() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteFaults extends RwFaultRules {
    ReadWriteFaults() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteContract extends RwContractRules {
    ReadWriteContract() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteLoad extends RwLoadRules {
    ReadWriteLoad() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteShares extends RwShareRules {
    ReadWriteShares() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteScripts extends RwScriptRules {
    ReadWriteScripts() {
      super(ReadWriteConformance.this);
    }
  }
}
