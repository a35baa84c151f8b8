package io.mortise.backend.jedis;

import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.spi.BackendConformance;
import io.mortise.spi.LockBackend;
import io.mortise.spi.LockBackendProvider;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.UnifiedJedis;

/**
 * The duties that need no fault, on an application's own client. All backends of a test share it.
 */
@Tag("all")
class HandedClientConformanceTest extends BackendConformance {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();
  private @Nullable UnifiedJedis client;

  @Override
  protected LockBackendProvider provider() {
    return new JedisBackendProvider();
  }

  @Override
  protected URI uri() {
    return REDIS.server().uri();
  }

  @Override
  protected synchronized LockBackend open() {
    if (client == null) {
      client = OwnClient.openAny(uri());
    }
    return JedisBackend.of(client);
  }

  @Override
  public String backendName() {
    return "jedis-client";
  }

  @AfterEach
  synchronized void closeClient() {
    if (client != null) {
      client.close();
    }
  }
}
