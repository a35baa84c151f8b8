package io.mortise.cli;

import io.mortise.conformance.lock.LockKindConformance;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.spi.LockBackend;
import org.junit.jupiter.api.extension.RegisterExtension;

/** All other kinds of lock between the clients. */
class BothClientsLockKindTest extends LockKindConformance {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private final BothClients clients = new BothClients();

  @Override
  public String backendName() {
    return BothClients.NAME;
  }

  @Override
  protected LockBackend openBackend() {
    return clients.open(REDIS.server().uri());
  }
}
