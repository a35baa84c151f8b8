package io.mortise.conformance.lock;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The rules of every other kind of lock on a backend for Redis, faults of servers and processes
 * among them. It is extended as {@link RedisLockConformance} is.
 */
public abstract class RedisLockKindConformance extends LockKindConformance implements RedisKit {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  /** For the subclass that the author of a backend writes. */
  protected RedisLockKindConformance() {}

  /**
   * The provider under test; it must also be found by name.
   *
   * @return a new instance or always the same
   */
  protected abstract LockBackendProvider provider();

  @Override
  public String backendName() {
    return provider().name();
  }

  @Override
  protected LockBackend openBackend() {
    return open(server().uri());
  }

  /**
   * Opens a backend by a way of the test's own.
   *
   * @param uri where the server is
   * @return an open backend
   */
  @Override
  public LockBackend open(URI uri) {
    return provider().open(new BackendConfig(uri, Duration.ofSeconds(2), "mortise-kit", Map.of()));
  }

  /**
   * The server that the tests share.
   *
   * @return a running one
   */
  @Override
  public RedisServer server() {
    return REDIS.server();
  }

  @Nested
  class ReadWriteCommands extends RwCommandRules {
    ReadWriteCommands() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class GuardProcesses extends GuardProcessRules {
    GuardProcesses() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class FairHistories extends FairHistoryRules {
    FairHistories() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class ReadWriteProcesses extends RwProcessRules {
    ReadWriteProcesses() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class RedMembers extends RedServerRules {
    RedMembers() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class RedFaults extends RedFaultRules {
    RedFaults() {
      super(RedisLockKindConformance.this);
    }
  }

  @Nested
  class RedSoak extends RedSoakRules {
    RedSoak() {
      super(RedisLockKindConformance.this);
    }
  }
}
