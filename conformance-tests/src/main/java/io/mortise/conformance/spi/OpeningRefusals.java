package io.mortise.conformance.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.BackendUnavailableException;
import io.mortise.LockService;
import io.mortise.conformance.Figures;
import io.mortise.conformance.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/**
 * How the messages of refused openings are checked: the node, what went wrong there in the server's
 * own words, and the next step. The exception has its cause, and comes in time.
 */
abstract class OpeningRefusals extends Duties {
  static final List<String> SCHEMES =
      List.of("redis://%s", "redis-cluster://%s", "redis-sentinel://%s#m");

  /** A server that is silent is refused after an attempt of 4 s and a PING of 1 s. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final RedisSentinelConformance kit;
  private Figures figures = (what, value) -> {};
  private String test = "";

  OpeningRefusals(RedisSentinelConformance kit) {
    super(kit);
    this.kit = kit;
  }

  @BeforeEach
  void note(Figures figures, TestInfo info) {
    this.figures = figures;
    test = info.getDisplayName().replaceFirst("B16: ", "");
  }

  static String place(RedisServer server) {
    return server.host() + ':' + server.port();
  }

  final void says(String uri, String... parts) {
    says(uri, Map.of(), parts);
  }

  final void says(String uri, Map<String, String> properties, String... parts) {
    LockService.Builder builder =
        LockService.builder()
            .uri(uri)
            .provider(kit.provider().name())
            .commandTimeout(Duration.ofSeconds(1));
    properties.forEach(builder::property);
    long start = System.nanoTime();
    BackendUnavailableException refusal =
        assertThrows(BackendUnavailableException.class, () -> builder.open().close());
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(LONGEST) < 0, () -> uri + " was refused after " + took);
    String message = String.valueOf(refusal.getMessage());
    for (String part : parts) {
      assertTrue(message.contains(part), () -> '"' + part + "\" is missing: " + message);
    }
    assertFalse(message.matches("(?s).*\\b(PT-?\\d|null\\b).*"), message);
    assertNotNull(refusal.getCause(), message);
    String cause = test + ", " + uri.replaceAll("//.*@", "//").replaceAll(":.*", "");
    figures.add("message: " + cause, message.replace('\n', ' '));
  }

  final void sayOnEach(String place, String... parts) {
    SCHEMES.forEach(scheme -> says(scheme.formatted(place), parts));
  }

  static RedisServer naming(String host, int port) {
    return RedisServer.builder()
        .sentinel("sentinel monitor m %s %d 1".formatted(host, port))
        .start();
  }
}
