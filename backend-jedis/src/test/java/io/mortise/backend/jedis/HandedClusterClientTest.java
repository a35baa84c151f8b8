package io.mortise.backend.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.LockService;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClusterClient;

/** A backend on an application's own cluster client. */
@Tag("ci")
class HandedClusterClientTest {
  private final RedisCluster cluster = RedisCluster.shared();
  private final HostAndPort seed =
      new HostAndPort(cluster.nodes().get(0).host(), cluster.nodes().get(0).port());

  private RedisClusterClient client() {
    return RedisClusterClient.builder().nodes(Set.of(seed)).build();
  }

  @Test
  @DisplayName("B17: a cluster client's pools are used, and stay open when the backend closes")
  void itsPools() {
    try (RedisClusterClient client = client()) {
      try (LockBackend backend = JedisBackend.of(client);
          LockService service = LockService.builder().sharedBackend(backend).open()) {
        assertEquals(Topology.CLUSTER, backend.info().topology());
        for (int i = 0; i < 20; i++) {
          assertTrue(service.getLock("handed-" + i).tryLock());
          service.getLock("handed-" + i).unlock();
        }
      }
      assertEquals("OK", client.set("handed-after", "1"));
      assertTrue(client.getClusterNodes().values().stream().noneMatch(pool -> pool.isClosed()));
    }
  }

  @Test
  @DisplayName("B23: pools that the client has made anew are found")
  void newPools() {
    try (RedisClusterClient first = client();
        RedisClusterClient second = client()) {
      var pools = new ConcurrentHashMap<Object, Object>(first.getClusterNodes());
      try (LockBackend backend = JedisCluster.of(pools)) {
        var call = Fixture.count("{handed}" + UUID.randomUUID(), Duration.ofSeconds(2));
        assertEquals(List.of(1L), backend.execute(call));
        first.getClusterNodes().values().forEach(ConnectionPool::close);
        pools.putAll(second.getClusterNodes());
        assertEquals(List.of(2L), backend.execute(call));
      }
    }
  }
}
