package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.OtherClient;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** A Jedis version that is too old is named in the error. */
class OldClientTest {
  private static final String SUPPORTED = "found, Jedis 6.0 to 8.x supported";

  static ClientJar jedis(String version) {
    List<ClientJar> jars = ClientJar.in(Path.of("target/clients-too-old"), "jedis");
    return jars.stream().filter(jar -> jar.version().equals(version)).findFirst().orElseThrow();
  }

  private static void assertTold(String jar, Executable opening) {
    BackendException error = assertFails(Outcome.NOT_EXECUTED, opening);
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("mortise-backend-jedis"), message);
    assertTrue(message.contains(jar + ' ' + SUPPORTED), message);
    assertInstanceOf(LinkageError.class, error.getCause());
  }

  @Test
  @DisplayName("B16: opening by URI with too old a Jedis names it and the supported versions")
  void byUri() {
    OtherClient.run(jedis("4.4.8"), ByUri.class);
  }

  @Test
  @DisplayName("B16: the pool of too old a Jedis is refused, and nothing is left open")
  void ofPool() {
    OtherClient.run(jedis("4.4.8"), OfPool.class);
  }

  static final class ByUri implements Runnable {
    @Override
    public void run() {
      try (RedisServer server = RedisServer.start()) {
        assertTold("jedis-4.4.8.jar", () -> Fixture.open(server.uri()));
      }
    }
  }

  static final class OfPool implements Runnable {
    @Override
    public void run() {
      try (RedisServer server = RedisServer.start()) {
        HostAndPort address = new HostAndPort(server.host(), server.port());
        ConnectionPool pool =
            new ConnectionPool(address, DefaultJedisClientConfig.builder().build());
        assertTold("jedis-4.4.8.jar", () -> JedisBackend.of(pool));
        assertEquals(1, String.valueOf(server.command("CLIENT", "LIST")).lines().count());
        pool.close();
      }
    }
  }
}
