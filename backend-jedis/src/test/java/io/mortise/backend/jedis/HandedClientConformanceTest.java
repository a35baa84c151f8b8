package io.mortise.backend.jedis;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.UnifiedJedis;

/** The duties that need no fault, on an application's own client. */
class HandedClientConformanceTest extends BackendConformance {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();
  private final List<UnifiedJedis> clients = new CopyOnWriteArrayList<>();

  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }

  @Override
  protected URI uri() {
    return REDIS.server().uri();
  }

  @Override
  protected LockBackend open() {
    UnifiedJedis client = OwnClient.openAny(uri());
    clients.add(client);
    return JedisBackend.of(client);
  }

  @Override
  public String backendName() {
    return "jedis-client";
  }

  @AfterEach
  void closeClients() {
    clients.forEach(UnifiedJedis::close);
  }
}
