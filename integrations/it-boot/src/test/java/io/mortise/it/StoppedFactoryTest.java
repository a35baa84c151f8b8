package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Locks outlast a connection factory that stops and starts again, alone or with its context. */
class StoppedFactoryTest {
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  /** A factory without resources of the application: its client's threads end at its stop. */
  @Configuration(proxyBeanMethods = false)
  static class OwnFactory {
    @Bean
    LettuceConnectionFactory factory(Environment environment) {
      return new LettuceConnectionFactory(server(environment));
    }

    private static RedisConfiguration server(Environment environment) {
      String nodes = environment.getRequiredProperty("nodes");
      String master = environment.getProperty("master");
      if (master != null) {
        RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master(master);
        for (String node : nodes.split(",")) {
          sentinels.addSentinel(RedisNode.fromString(node));
        }
        return sentinels;
      }
      if (nodes.contains(",")) {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration();
        for (String node : nodes.split(",")) {
          cluster.addClusterNode(RedisNode.fromString(node));
        }
        return cluster;
      }
      RedisNode one = RedisNode.fromString(nodes);
      return new RedisStandaloneConfiguration(one.getHost(), one.getPort());
    }
  }

  /** A factory whose client has threads that its settings do not tell. */
  @Configuration(proxyBeanMethods = false)
  static class OwnClient {
    static final AtomicInteger LINKS = new AtomicInteger();

    @Bean(destroyMethod = "shutdown")
    ClientResources resources() {
      return ClientResources.builder()
          .nettyCustomizer(
              new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel link) {
                  LINKS.incrementAndGet();
                }
              })
          .build();
    }

    @Bean
    LettuceConnectionFactory factory(ClientResources resources, Environment environment) {
      var server = OwnFactory.server(environment);
      return new LettuceConnectionFactory(server) {
        @Override
        protected AbstractRedisClient createClient() {
          return RedisClient.create(resources, RedisURI.create(getHostName(), getPort()));
        }
      };
    }
  }

  private static Shop withOwnFactory(String... properties) {
    return Shop.startWithoutWeb(
        new Class<?>[] {ShopApplication.class, OwnFactory.class}, properties);
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("lettuce-"))
        .count();
  }

  /** Commands and messages pass. */
  private static void serves(LockService locks, Lease held) throws InterruptedException {
    assertTrue(held.isValid());
    assertTrue(locks.getLock("held").async().tryAcquire().join().isEmpty());
    Lease first = locks.getLock("next").acquire();
    CompletableFuture<Lease> second = locks.getLock("next").async().acquire();
    first.close();
    Await.value(second).close();
  }

  private static void outlastsItsStops(Shop shop) throws InterruptedException {
    try (shop) {
      LockService locks = shop.bean(LockService.class);
      LettuceConnectionFactory factory = shop.bean(LettuceConnectionFactory.class);
      Lease held = locks.getLock("held").acquire();
      for (int i = 0; i < 3; i++) {
        factory.stop();
        serves(locks, held);
        factory.start();
        serves(locks, held);
        assertEquals("paid 1", shop.bean(CounterService.class).pay("1"));
        shop.context.stop();
        serves(locks, held);
        shop.context.start();
        serves(locks, held);
        assertEquals("paid 1", shop.bean(CounterService.class).pay("1"));
      }
      held.close();
    }
  }

  private static void outlastsItsStopsAndLeavesNoThread(Shop shop, long before)
      throws InterruptedException {
    outlastsItsStops(shop);
    Await.until("the threads have ended", () -> threads() <= before);
  }

  @Test
  void aServerThatIsNotThereLeavesNoThread() {
    long before = threads();
    assertThrows(RuntimeException.class, () -> withOwnFactory("nodes=127.0.0.1:1").close());
    Await.until("the threads have ended", () -> threads() <= before);
  }

  @Test
  void aFactoryOfBoot() throws InterruptedException {
    long before = threads();
    Shop shop =
        Shop.startWithoutWeb(
            new Class<?>[] {ShopApplication.class}, "spring.data.redis.port=" + redis.port());
    outlastsItsStopsAndLeavesNoThread(shop, before);
  }

  @Test
  void aFactoryOfTheApplication() throws InterruptedException {
    long before = threads();
    outlastsItsStopsAndLeavesNoThread(
        withOwnFactory("nodes=127.0.0.1:" + redis.port()), before);
  }

  @Test
  void theThreadsOfASubclassAreUsed() throws InterruptedException {
    long before = threads();
    Shop shop =
        Shop.startWithoutWeb(
            new Class<?>[] {ShopApplication.class, OwnClient.class},
            "nodes=127.0.0.1:" + redis.port());
    assertEquals(2, OwnClient.LINKS.get());
    outlastsItsStopsAndLeavesNoThread(shop, before);
  }

  @Test
  @Tag("ci")
  void aFactoryOfTheApplicationForACluster() throws InterruptedException {
    long before = threads();
    outlastsItsStopsAndLeavesNoThread(
        withOwnFactory("nodes=" + RedisCluster.shared().uri().getAuthority()), before);
  }

  @Test
  @Tag("ci")
  void aFactoryOfTheApplicationForSentinels() throws InterruptedException {
    long before = threads();
    RedisSentinels set = RedisSentinels.shared();
    outlastsItsStopsAndLeavesNoThread(
        withOwnFactory("nodes=" + set.uri().getAuthority(), "master=" + set.name()), before);
  }
}
