package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.BackendException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisServersTest {
  private static Map<String, Object> hello(String version, String mode, String role) {
    return Map.of("server", "redis", "version", version, "mode", mode, "role", role);
  }

  @ParameterizedTest
  @ValueSource(strings = {"6.2.0", "6.2", "7.0.15", "10.1"})
  void aRecentMasterIsUsable(String version) {
    assertEquals(
        version,
        RedisServers.usable("here", hello(version, "standalone", "master")).serverVersion());
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.8.0", "5.0.14", "6.0.16", "6.1", "6.0"})
  void anOldServerIsRefused(String version) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> RedisServers.usable("here", hello(version, "standalone", "master")));

    assertTrue(String.valueOf(e.getMessage()).contains(version), e.getMessage());
    assertTrue(String.valueOf(e.getMessage()).contains("upgrade it"), e.getMessage());
  }

  /** Valkey has names of its own, and some of those of Redis beside them. */
  @Test
  void theInfoOfValkeyIsRead() {
    String info =
        "redis_version:7.2.4\r\nvalkey_version:9.1.2\r\nserver_mode:standalone\r\nrole:slave\r\n";

    assertEquals(
        Map.of("version", "9.1.2", "mode", "standalone", "role", "replica"),
        RedisServers.facts(info));
    assertEquals(
        Map.of("version", "7.0.15", "mode", "cluster", "role", "master"),
        RedisServers.facts("redis_version:7.0.15\nredis_mode:cluster\nrole:master\n"));
  }

  @Test
  void whatIsWrongWithTheServerIsNotLookedForInTheUri() {
    IllegalArgumentException cluster =
        assertThrows(
            IllegalArgumentException.class,
            () -> RedisServers.usable("here", hello("7.0.15", "cluster", "master")));

    String message = refusal(new IllegalStateException("open", cluster));

    assertTrue(message.endsWith("; write redis-cluster://host:port for a cluster"), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          WRONGPASS invalid username-password pair | check user and password, and what the server's ACL allows that user
          NOAUTH Authentication required. | check user and password, and what the server's ACL allows that user
          ERR unknown command 'HELLO', with args beginning with: '2' | it is older than 6.0, or a service that hides HELLO; 6.2 or later is needed, and HELLO for clusters and sentinels
          NOPROTO unsupported protocol version | it is older than 6.0, or a service that hides HELLO; 6.2 or later is needed, and HELLO for clusters and sentinels
          ERR DB index is out of range | check the database, the number after the last slash
          Connection refused | check host and port, and that the server runs and listens at that address
          """)
  void theNextStepIsThatOfTheError(String error, String step) {
    String message = refusal(new IllegalStateException("open", new RuntimeException(error)));

    assertEquals("redis://here cannot be used: " + error + "; " + step, message);
  }

  private static String refusal(Throwable failure) {
    return String.valueOf(RedisServers.refusal("redis://here", failure).getMessage());
  }

  @Test
  void clustersSentinelsAndReplicasAreRefusedByName() {
    for (String[] other :
        new String[][] {{"cluster", "master"}, {"sentinel", "master"}, {"standalone", "replica"}}) {
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class,
              () -> RedisServers.usable("here", hello("7.0.15", other[0], other[1])));
      assertTrue(
          String.valueOf(e.getMessage()).contains(other[0] + ' ' + other[1]), e.getMessage());
    }
  }

  @Test
  void aKnockAtAClosedPortIsRefused() throws IOException {
    RedisAddress nobody;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
      nobody = RedisAddress.of(URI.create("redis://u:secret@localhost:" + closed.getLocalPort()));
      RedisServers.knock(nobody, Duration.ofSeconds(10)); // The port accepts and never answers.
    }
    BackendException e =
        assertThrows(
            BackendException.class, () -> RedisServers.knock(nobody, Duration.ofSeconds(10)));
    assertEquals(BackendException.Outcome.NOT_EXECUTED, e.outcome());
    assertTrue(String.valueOf(e.getMessage()).startsWith(nobody.toString()), e.getMessage());
  }

  @Test
  void aKnockAtAnUnknownHostLeavesTheAnswerToTheClient() {
    RedisServers.knock(RedisAddress.of(URI.create("redis://host.invalid")), Duration.ofSeconds(1));
  }
}
