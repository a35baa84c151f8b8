package io.mortise.backend.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.mortise.conformance.client.ClientJar;
import io.mortise.conformance.client.OtherClient;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendConfig;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A Lettuce version that is too old is named in the error. */
class OldClientTest {
  private static final ClientJar OLD =
      ClientJar.in(Path.of("target/clients-too-old"), "lettuce-core").get(0);

  private static void assertTold(Executable opening) {
    BackendException error = assertThrows(BackendException.class, opening);
    assertEquals(Outcome.NOT_EXECUTED, error.outcome());
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("mortise-backend-lettuce"), message);
    assertTrue(message.contains("lettuce-core-6.1.10.RELEASE.jar found"), message);
    assertTrue(message.contains("Lettuce 6.6 to 7.x supported"), message);
    assertInstanceOf(LinkageError.class, error.getCause());
  }

  @Test
  @DisplayName("B16: opening by URI with too old a Lettuce names it and the supported versions")
  void byUri() {
    OtherClient.run(OLD, ByUri.class);
  }

  @Test
  @DisplayName("B16: a client of too old a Lettuce is refused")
  void ofClient() {
    OtherClient.run(OLD, OfClient.class);
  }

  static final class ByUri implements Runnable {
    @Override
    public void run() {
      try (RedisServer server = RedisServer.start()) {
        BackendConfig config =
            new BackendConfig(server.uri(), Duration.ofSeconds(5), "old", Map.of());
        assertTold(() -> new LettuceBackendProvider().open(config));
      }
    }
  }

  static final class OfClient implements Runnable {
    @Override
    public void run() {
      RedisClient client = RedisClient.create();
      try (RedisServer server = RedisServer.start()) {
        assertTold(() -> LettuceBackend.of(client, RedisURI.create(server.uri())));
      } finally {
        client.shutdown();
      }
    }
  }
}
