package io.mortise.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.mortise.LockException;
import io.mortise.LockService;
import io.mortise.backend.inmemory.InMemoryStore;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.TestAuthority;
import io.mortise.conformance.redis.TlsServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.LockBackend;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import redis.clients.jedis.DefaultRedisCredentials;

/** Each way in which the starter finds the store of the locks. */
@ExtendWith(OutputCaptureExtension.class)
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

  /** A user of the server, whose password is made of the name. */
  private static String user(RedisServer server, String name) {
    server.command("ACL", "SETUSER", name, "on", ">of-" + name, "~*", "&*", "+@all");
    return name;
  }

  @Configuration(proxyBeanMethods = false)
  static class ChangingUser {
    static final AtomicReference<String> NAME = new AtomicReference<>();

    @Bean
    RedisConnectionFactory factory(Environment environment) {
      var server =
          new RedisStandaloneConfiguration(
              "127.0.0.1", environment.getRequiredProperty("port", Integer.class));
      if ("jedis".equals(environment.getProperty("client"))) {
        return new JedisConnectionFactory(
            server,
            JedisClientConfiguration.builder()
                .customize(settings ->
                    settings.credentialsProvider(() ->
                        new DefaultRedisCredentials(NAME.get(), "of-" + NAME.get())))
                .build());
      }
      RedisCredentialsProvider provider =
          RedisCredentialsProvider.from(() ->
              RedisCredentials.just(NAME.get(), "of-" + NAME.get()));
      return new LettuceConnectionFactory(
          server,
          LettuceClientConfiguration.builder()
              .redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {
                @Override
                public RedisCredentialsProvider createCredentialsProvider(
                    RedisConfiguration configuration) {
                  return provider;
                }
              })
              .build());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void aCredentialsProviderOfTheFactoryWhoseAnswerChanges(String client) {
    try (RedisServer server = RedisServer.start()) {
      ChangingUser.NAME.set(user(server, "kay"));
      try (Shop shop =
          start(ChangingUser.class, "client=" + client, "port=" + server.port())) {
        usesRedis(shop, server);
        ChangingUser.NAME.set(user(server, "lou"));
        Await.until(
            "the connections of the locks have the new user",
            () -> !String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay "));
        server.command("ACL", "DELUSER", "kay");
        assertEquals("paid 2", shop.bean(CounterService.class).pay("2"));
      }
    }
  }

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

  @Test
  void aStoreThatIsNotThereAtTheFirstUseIsALockException() {
    for (String client : List.of("lettuce", "jedis")) {
      try (Shop shop =
          start(
              Nothing.class,
              "mortise.connect=first-use",
              "spring.data.redis.client-type=" + client,
              "spring.data.redis.port=1")) {
        LockService locks = shop.bean(LockService.class);
        for (Executable use :
            List.<Executable>of(
                () -> locks.getLock("a").lock(),
                () -> locks.status("a"),
                () -> locks.clientId(),
                () -> shop.bean(CounterService.class).pay("1"))) {
          LockException refused = assertThrows(LockException.class, use);
          assertTrue(refused.getMessage().contains(":1"), refused.getMessage());
        }
      }
    }
  }

  @Test
  void oneLineSaysWhatWasOpened(CapturedOutput output) {
    try (RedisServer guarded = RedisServer.builder().password("s3cret").start()) {
      for (String client : List.of("Lettuce", "Jedis")) {
        try (Shop shop =
            start(
                Nothing.class,
                "logging.level.io.mortise=info",
                "mortise.key-prefix=of-" + client + ":",
                "spring.data.redis.client-type=" + client,
                "spring.data.redis.port=" + guarded.port(),
                "spring.data.redis.password=s3cret")) {
          String id = shop.bean(LockService.class).clientId();
          List<String> lines = output.getAll().lines().filter(line -> line.contains(id)).toList();
          assertEquals(1, lines.size(), lines.toString());
          for (String part :
              List.of(client + "Backend", ":" + guarded.port(), "SINGLE", "'of-" + client + ":'")) {
            assertTrue(lines.get(0).contains(part), lines.get(0));
          }
        }
      }
    }
    assertFalse(output.getAll().contains("s3cret"), output.getAll());
  }
}
