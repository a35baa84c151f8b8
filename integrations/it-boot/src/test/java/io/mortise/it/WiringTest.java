package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.spi.LockBackend;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Each way in which the starter finds the store of the locks. */
class WiringTest {
  private static RedisServer redis;

  @BeforeAll
  static void start() {
    redis = RedisServer.builder().password("secret").start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  private static Shop start(Class<?> more, String... properties) {
    return Shop.startWithoutWeb(new Class<?>[] {ShopApplication.class, more}, properties);
  }

  /** The locks are in Redis if its keys show one that is held. */
  private static void usesRedis(Shop shop, RedisServer server) {
    LockService locks = shop.bean(LockService.class);
    locks.getLock("seen").lock();
    try {
      assertTrue(server.keys().toString().contains("seen"));
    } finally {
      locks.getLock("seen").unlock();
    }
    assertEquals("paid 1", shop.bean(CounterService.class).pay("1"));
  }

  static class Nothing {}

  @Test
  void theApplicationsJedisFactoryWithItsPassword() {
    try (Shop shop =
        start(
            Nothing.class,
            "spring.data.redis.client-type=jedis",
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.password=secret")) {
      usesRedis(shop, redis);
    }
  }

  /** The JVM does not trust the server. Only the application's bundle does. */
  @Test
  void theApplicationsSslBundle() {
    assumeTrue(TlsServer.isPossible());
    try (TestAuthority authority = TestAuthority.create()) {
      var arguments = authority.arguments(authority.sign("server", "IP:127.0.0.1"), false);
      String port = arguments.get(1);
      try (RedisServer server =
          RedisServer.builder()
              .password("secret")
              .arguments(arguments.toArray(String[]::new))
              .start()) {
        for (String client : List.of("lettuce", "jedis")) {
          try (Shop shop =
              start(
                  Nothing.class,
                  "spring.data.redis.client-type=" + client,
                  "spring.data.redis.host=127.0.0.1",
                  "spring.data.redis.port=" + port,
                  "spring.data.redis.password=secret",
                  "spring.data.redis.ssl.bundle=redis",
                  "spring.ssl.bundle.pem.redis.truststore.certificate=file:"
                      + authority.certificate())) {
            usesRedis(shop, server);
          }
        }
      }
    }
  }

  @Test
  void aUriBeforeTheFactoryAndNoEndpointUnlessAsked() throws Exception {
    try (Shop shop = Shop.start("mortise.uri=memory:${random.uuid}", "spring.data.redis.port=1")) {
      assertEquals("paid 1", shop.get("/pay?id=1"));
      assertEquals(404, shop.response("/actuator/locks").statusCode());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBackend {
    @Bean
    LockBackend backend() {
      return InMemoryStore.create().backend();
    }
  }

  @Test
  void aBackendOfTheApplication() {
    try (Shop shop = start(OwnBackend.class, "spring.data.redis.port=1")) {
      assertEquals("paid 1", shop.bean(CounterService.class).pay("1"));
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnService {
    static final LockService SERVICE = LockService.open("memory:own");

    @Bean(destroyMethod = "")
    LockService service() {
      return SERVICE;
    }
  }

  @Test
  void aServiceOfTheApplication() {
    try (Shop shop = start(OwnService.class, "spring.data.redis.port=1")) {
      assertSame(OwnService.SERVICE, shop.bean(LockService.class));
      assertEquals("paid 1", shop.bean(CounterService.class).pay("1"));
    }
    assertFalse(OwnService.SERVICE.getLock("a").isLocked());
  }

  @Test
  void aStoreThatIsFirstNeededAtTheFirstUseOfALock() throws Exception {
    try (Shop shop =
        Shop.start(
            "mortise.connect=first-use",
            "mortise.backend=lettuce",
            "mortise.uri=redis://127.0.0.1:1",
            "mortise.actuator.force-unlock=true",
            "management.endpoints.web.exposure.include=locks,metrics")) {
      assertEquals("{\"services\":{}}", shop.get("/actuator/locks"));
      assertEquals(404, shop.response("/actuator/locks/a").statusCode());
      assertEquals(404, shop.delete("/actuator/locks/a?holder=b").statusCode());
      assertEquals(200, shop.response("/actuator/metrics/mortise.lock.held").statusCode());
      var refused = shop.response("/pay?id=1");
      assertEquals(500, refused.statusCode());
      assertTrue(refused.body().contains("BackendUnavailableException"), refused.body());
    }
  }
}
