package io.mortise.cli;

import io.mortise.conformance.lock.LockConformance;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.spi.LockBackend;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The lock contract between the clients: the services of each test are on Jedis and on Lettuce by
 * turns, on one server.
 */
class BothClientsLockTest extends LockConformance {
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
