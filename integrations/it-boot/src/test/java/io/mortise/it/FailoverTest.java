package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Two applications whose Redis is a cluster, or a master that sentinels name. The master with the
 * lock is killed while one of them holds it.
 */
@Tag("ci")
class FailoverTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String LOCK = "orders:7";
  private static final String PAY = "/pay?id=7";

  @Test
  void onACluster() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(2))) {
      int slot = cluster.slot('{' + LOCK + '}');
      excludeOverAFailover(
          cluster.nodes(),
          () -> cluster.ownerOrNull(slot),
          1,
          "spring.data.redis.cluster.nodes=" + cluster.uri().getAuthority());
    }
  }

  @Test
  void behindSentinels() throws Exception {
    try (RedisSentinels set = RedisSentinels.start(Duration.ofSeconds(1))) {
      excludeOverAFailover(
          set.servers(),
          set::master,
          2,
          "spring.data.redis.sentinel.master=" + set.name(),
          "spring.data.redis.sentinel.nodes=" + set.uri().getAuthority());
    }
  }

  private static void excludeOverAFailover(
      List<RedisServer> servers, Supplier<RedisServer> master, int replicas, String... redis)
      throws Exception {
    try (Shop here = start(redis);
        Shop there = start(redis)) {
      oneCountsAtATime(here, there);
      Lease held = here.bean(LockService.class).getLock(LOCK).acquire();
      assertTrue(isRefused(there));
      showsTheHolder(here, there);
      Await.until(
          "the replicas have the lock",
          () -> servers.stream().filter(FailoverTest::hasTheLock).count() == 1 + replicas);

      RedisServer killed = master.get();
      killed.kill();
      Await.until(
          "another master",
          PATIENCE,
          () -> {
            RedisServer next = master.get();
            return next != null && next != killed;
          });
      Await.until("the lock still excludes", PATIENCE, () -> isRefused(there));
      showsTheHolder(here, there);
      held.close(); // the release may go to the old master first, and is sent again
      Await.until("the lock is free", () -> isPaid(there));
      assertTrue(isPaid(here));
    }
  }

  private static Shop start(String... redis) {
    List<String> properties = new ArrayList<>(List.of(redis));
    properties.add("mortise.lease-time=2m"); // longer than a failover on a busy machine
    properties.add("management.endpoints.web.exposure.include=locks");
    properties.add("management.endpoint.locks.show-values=always");
    return Shop.start(properties.toArray(String[]::new));
  }

  private static void oneCountsAtATime(Shop here, Shop there) {
    var counting =
        Stream.of(here, there, here, there)
            .map(shop -> CompletableFuture.runAsync(() -> count(shop)))
            .toList();
    counting.forEach(Await::value);
    assertEquals("40", here.bean(StringRedisTemplate.class).opsForValue().get("count"));
  }

  private static void count(Shop shop) {
    for (int i = 0; i < 10; i++) {
      var page = response(shop, "/increment");
      assertEquals(200, page.statusCode(), page::body);
    }
  }

  private static boolean isRefused(Shop shop) {
    return response(shop, PAY).statusCode() == 409;
  }

  private static boolean isPaid(Shop shop) {
    return response(shop, PAY).body().equals("paid 7");
  }

  private static boolean hasTheLock(RedisServer server) {
    return server.keys().toString().contains(LOCK);
  }

  /** The holder's page says what it holds, and the other one's what is in the store. */
  private static void showsTheHolder(Shop holder, Shop other) {
    String id = "\":\"" + holder.bean(LockService.class).clientId();
    Await.until("the holder", () -> response(holder, "/actuator/locks").body().contains(id));
    String page = "/actuator/locks/" + LOCK;
    Await.until("the holder in the store", () -> response(other, page).body().contains(id));
  }

  private static HttpResponse<String> response(Shop shop, String path) {
    try {
      return shop.response(path);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
