package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A backend on an application's own cluster client. */
@Tag("ci")
final class GivenClusterClientTest {
  private final RedisServer seed = RedisCluster.shared().nodes().get(0);

  @Test
  @DisplayName("B17: a cluster client's settings are used, and it works after the backend's end")
  void itsSettings() {
    RedisClusterClient client =
        RedisClusterClient.create(RedisURI.create(seed.host(), seed.port()));
    try {
      try (LockBackend backend = LettuceBackend.of(client);
          LockService service = LockService.builder().sharedBackend(backend).open()) {
        assertEquals(Topology.CLUSTER, backend.info().topology());
        for (int i = 0; i < 20; i++) {
          assertTrue(service.getLock("given-" + i).tryLock());
          service.getLock("given-" + i).unlock();
        }
      }
      assertEquals("OK", client.connect().sync().set("given-after", "1"));
    } finally {
      client.shutdown();
    }
  }
}
