package io.mortise.jmh.contestant;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.mortise.conformance.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each contestant of the comparison with Redisson opens. */
class ContestantTest {
  private static final Duration LEASE = Duration.ofSeconds(6);

  @ParameterizedTest
  @EnumSource(names = {"MORTISE_JEDIS", "REDISSON"})
  void aClientOfTheComparisonOpens(Contestant contestant) throws Exception {
    try (RedisServer server = RedisServer.start();
        LockClient client = contestant.openClient(new ClientSettings(server.uri(), LEASE))) {
      assertNotNull(client.mutex("name"));
    }
  }
}
