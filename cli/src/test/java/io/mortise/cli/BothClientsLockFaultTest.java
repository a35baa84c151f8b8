package io.mortise.cli;

import io.mortise.conformance.lock.LockFaultConformance;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.spi.LockBackend;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lock contract between the clients while things fail. */
class BothClientsLockFaultTest extends LockFaultConformance {
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
