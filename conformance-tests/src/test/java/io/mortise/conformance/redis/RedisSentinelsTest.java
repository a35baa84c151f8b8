package io.mortise.conformance.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.mortise.conformance.support.Await;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RedisSentinelsTest {
  @Test
  @DisplayName("A set replaces a master that was killed, and takes it back as a replica")
  void replacesItsMaster() {
    try (RedisSentinels set = RedisSentinels.start(Duration.ofSeconds(1))) {
      RedisServer old = set.master();
      assertEquals("master", role(old));
      old.kill();
      RedisServer next = set.masterAfter(old);
      assertNotEquals(old, next);
      assertEquals("master", role(next));
      old.restart();
      set.awaitComplete();
      Await.until("the old master is a replica", Duration.ofSeconds(30), () -> isReplica(old));
    }
  }

  /** The connections of a master that becomes a replica are cut. */
  private static boolean isReplica(RedisServer server) {
    try {
      return "slave".equals(role(server));
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  private static Object role(RedisServer server) {
    return ((List<?>) Objects.requireNonNull(server.command("ROLE"))).get(0);
  }
}
