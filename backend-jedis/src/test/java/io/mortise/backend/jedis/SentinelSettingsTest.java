package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.count;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisSentinels;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import io.mortise.spi.Topology;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisSentinelClient;

/** Sentinels with the settings of an application's own client. */
class SentinelSettingsTest {
  private static final JedisClientConfig PLAIN = DefaultJedisClientConfig.builder().build();

  private final RedisSentinels set = RedisSentinels.shared();

  private static HostAndPort placeOf(RedisServer server) {
    return new HostAndPort(server.host(), server.port());
  }

  private Set<HostAndPort> places() {
    return set.sentinels().stream().map(SentinelSettingsTest::placeOf).collect(Collectors.toSet());
  }

  @Test
  @DisplayName("B16: the settings lead to the master that the sentinels name")
  void leadsToTheMaster() {
    JedisClientConfig third = DefaultJedisClientConfig.builder().database(3).build();
    try (LockBackend backend = JedisBackend.ofSentinels(set.name(), places(), third, PLAIN)) {
      assertWorks(backend);
      assertEquals(Topology.SENTINEL, backend.info().topology());
      backend.execute(count("by sentinels", Fixture.TIMEOUT));
    }
    assertTrue(String.valueOf(set.master().command("INFO", "keyspace")).contains("db3:"));
  }

  @Test
  @DisplayName("B18: the sentinels' own password is used, and never shown")
  void thePasswordOfTheSentinels() {
    RedisServer master = set.master();
    try (RedisServer sentinel =
        RedisServer.builder()
            .sentinel("sentinel monitor own %s %d 1".formatted(master.host(), master.port()))
            .password("hush")
            .start()) {
      Set<HostAndPort> only = Set.of(placeOf(sentinel));
      JedisClientConfig secret = DefaultJedisClientConfig.builder().password("hush").build();
      try (LockBackend backend = JedisBackend.ofSentinels("own", only, PLAIN, secret)) {
        assertWorks(backend);
        assertFalse(backend.toString().contains("hush"), backend::toString);
      }
      BackendException error =
          assertFails(
              Outcome.NOT_EXECUTED, () -> JedisBackend.ofSentinels("own", only, PLAIN, PLAIN));
      assertTrue(String.valueOf(error.getMessage()).contains("NOAUTH"), error::toString);
    }
  }

  @Test
  @DisplayName("A client of sentinels is refused, and the message says what to use instead")
  void aClientOfSentinels() {
    try (RedisSentinelClient client =
        RedisSentinelClient.builder()
            .masterName(set.name())
            .sentinels(places())
            .clientConfig(PLAIN)
            .sentinelClientConfig(PLAIN)
            .build()) {
      IllegalArgumentException error =
          assertThrows(IllegalArgumentException.class, () -> JedisBackend.of(client));
      assertTrue(
          String.valueOf(error.getMessage()).contains("JedisBackend.ofSentinels"), error::toString);
    }
  }
}
