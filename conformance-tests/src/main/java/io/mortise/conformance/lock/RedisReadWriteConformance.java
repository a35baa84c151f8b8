package io.mortise.conformance.lock;

import io.mortise.conformance.RedisKit;
import io.mortise.conformance.lock.readwrite.ReaderCommandRules;
import io.mortise.conformance.lock.readwrite.ReaderProcessRules;
import io.mortise.conformance.lock.readwrite.ReaderRestartRules;
import org.junit.jupiter.api.Nested;

/**
 * The rules of the read/write lock on a backend for Redis, also while processes fail. Extend it
 * like {@link RedisLockConformance}.
 */
public abstract class RedisReadWriteConformance extends ReadWriteConformance implements RedisKit {
  /** For the subclass that the author of a backend writes. */
  protected RedisReadWriteConformance() {}

  @Nested
  class ReadWriteCommands extends ReaderCommandRules {
    ReadWriteCommands() {
      super(RedisReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteProcesses extends ReaderProcessRules {
    ReadWriteProcesses() {
      super(RedisReadWriteConformance.this);
    }
  }

  @Nested
  class ReadWriteRestarts extends ReaderRestartRules {
    ReadWriteRestarts() {
      super(RedisReadWriteConformance.this);
    }
  }
}
