package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertWorks;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import io.mortise.spi.BackendException;
import io.mortise.spi.LockBackend;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisCredentials;

/** One server with the settings of an application's own client. */
class ServerSettingsTest {
  private static RedisCredentials user(RedisServer server, String name) {
    server.command("ACL", "SETUSER", name, "on", ">of-" + name, "~*", "&*", "+@all");
    return new DefaultRedisCredentials(name, "of-" + name);
  }

  private static HostAndPort place(RedisServer server) {
    return new HostAndPort(server.host(), server.port());
  }

  @Test
  @DisplayName("B26: living connections get what the provider of the settings says")
  void aProviderThatChangesItsAnswer() {
    try (RedisServer server = RedisServer.start()) {
      AtomicReference<RedisCredentials> now = new AtomicReference<>(user(server, "kay"));
      var settings = DefaultJedisClientConfig.builder().credentialsProvider(now::get).build();
      try (LockBackend backend = JedisBackend.ofServer(place(server), settings, 2)) {
        assertWorks(backend);
        now.set(user(server, "lou"));
        Await.until(
            "they have the new user",
            () -> !String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay "));
        server.command("ACL", "DELUSER", "kay");
        assertWorks(backend);
      }
    }
  }

  @Test
  @DisplayName("B26: a provider without a password, and fixed ones, are Jedis' own affair")
  void otherProviders() {
    try (RedisServer server = RedisServer.start()) {
      var none =
          DefaultJedisClientConfig.builder()
              .credentialsProvider(() -> new DefaultRedisCredentials(null, (char[]) null))
              .build();
      var fixed = DefaultJedisClientConfig.builder().build();
      for (var settings : List.of(none, fixed)) {
        try (LockBackend backend = JedisBackend.ofServer(place(server), settings, 2)) {
          assertWorks(backend);
        }
      }
    }
  }

  @Test
  @DisplayName("B18: a provider that throws is told by its words, and nothing is left open")
  void aProviderThatThrows() {
    try (RedisServer server = RedisServer.start()) {
      var settings =
          DefaultJedisClientConfig.builder()
              .credentialsProvider(() -> {
                throw new IllegalStateException("no vault");
              })
              .build();
      String message =
          String.valueOf(
              assertThrows(
                      BackendException.class,
                      () -> JedisBackend.ofServer(place(server), settings, 2))
                  .getMessage());
      assertTrue(message.contains("the credentials provider of the Jedis settings"), message);
      assertTrue(message.contains("no vault"), message);
      assertFalse(String.valueOf(server.command("CLIENT", "LIST")).contains("user=kay"));
    }
  }
}
