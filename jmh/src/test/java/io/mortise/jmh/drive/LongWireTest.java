package io.mortise.jmh.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.redis.RespConnection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A wire costs time once for everything that is on it. */
class LongWireTest {
  private static final int COMMANDS = 2_000;

  @Test
  void manyCommandsOnTheirWayTogetherCostOneRoundTrip() throws Exception {
    try (RedisServer server = RedisServer.start();
        LongWire wire = new LongWire(server.uri());
        RespConnection connection =
            new RespConnection("127.0.0.1", wire.uri().getPort(), Duration.ofSeconds(30))) {
      assertEquals("PONG", connection.call("PING"));
      wire.delay(100, TimeUnit.MILLISECONDS);
      long start = System.nanoTime();
      for (int i = 0; i < COMMANDS; i++) {
        connection.send("PING", "x".repeat(400));
      }
      for (int i = 0; i < COMMANDS; i++) {
        assertEquals(400, String.valueOf(connection.read()).length());
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      assertTrue(seconds >= 0.2 && seconds < 5, () -> seconds + " s");
    }
  }
}
