package io.mortise.conformance.lock;

import io.mortise.conformance.ShardedPublishKit;
import io.mortise.conformance.lock.handoff.PostedMessageRules;
import io.mortise.spi.LockBackendProvider;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * Locks on a service that shards PUBLISH: what differs there, and the kit with {@code
 * -Dmortise.tests=all}.
 */
public abstract class ShardedPublishConformance implements ShardedPublishKit {
  /** For the subclass that the author of a backend writes. */
  protected ShardedPublishConformance() {}

  @Nested
  class PostedMessages extends PostedMessageRules {
    PostedMessages() {
      super(ShardedPublishConformance.this);
    }
  }

  @Nested
  @Tag("all")
  class Locks extends LockConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }

  @Nested
  @Tag("all")
  class LockKinds extends LockKindConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }

  @Nested
  @Tag("all")
  class LockFaults extends LockFaultConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }

  @Nested
  @Tag("all")
  class ReadWriteLocks extends ReadWriteConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }

  @Nested
  @Tag("all")
  class CompositeLocks extends CompositeLockConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }

  @Nested
  @Tag("all")
  class Synchronizers extends SynchronizerConformance implements ShardedPublishKit {
    @Override
    public LockBackendProvider provider() {
      return ShardedPublishConformance.this.provider();
    }
  }
}
