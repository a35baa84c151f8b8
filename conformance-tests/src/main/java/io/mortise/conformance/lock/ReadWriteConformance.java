package io.mortise.conformance.lock;

import io.mortise.conformance.LockKit;
import io.mortise.conformance.lock.readwrite.ReadWriteRules;
import io.mortise.conformance.lock.readwrite.ReaderContractRules;
import io.mortise.conformance.lock.readwrite.ReaderFaultRules;
import io.mortise.conformance.lock.readwrite.ReaderLeaseRules;
import io.mortise.conformance.lock.readwrite.ReaderLoadRules;
import io.mortise.conformance.lock.readwrite.ReaderQueueRules;
import io.mortise.conformance.lock.readwrite.ReaderScriptRules;
import io.mortise.conformance.lock.readwrite.ShareRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the read/write lock on a backend of any kind. Extend it like {@link
 * LockConformance}.
 */
public abstract class ReadWriteConformance implements LockKit {
  /** For the subclass that the author of a backend writes. */
  protected ReadWriteConformance() {}

  @Nested
  class ReadWrite extends ReadWriteRules {
    ReadWrite() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteQueues extends ReaderQueueRules {
    ReadWriteQueues() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteLeases extends ReaderLeaseRules {
    ReadWriteLeases() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteFaults extends ReaderFaultRules {
    ReadWriteFaults() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteContract extends ReaderContractRules {
    ReadWriteContract() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteLoad extends ReaderLoadRules {
    ReadWriteLoad() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteShares extends ShareRules {
    ReadWriteShares() {
      super(ReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteScripts extends ReaderScriptRules {
    ReadWriteScripts() {
      super(ReadWriteConformance.this);
    }
  }
}
