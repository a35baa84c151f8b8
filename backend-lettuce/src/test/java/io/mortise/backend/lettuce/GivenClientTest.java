package io.mortise.backend.lettuce;

import static io.mortise.backend.lettuce.Fixture.count;
import static io.mortise.backend.lettuce.Fixture.failure;
import static io.mortise.backend.lettuce.Fixture.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.event.command.CommandListener;
import io.mortise.conformance.redis.RedisExtension;
import io.mortise.conformance.redis.TcpProxy;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Backends on a client of the caller's. */
final class GivenClientTest {
  @RegisterExtension static final RedisExtension REDIS = RedisExtension.installed();

  private final RedisClient client = Fixture.rejectingClient();
  private final RedisURI uri = RedisURI.create(REDIS.server().uri());

  @AfterEach
  void close() {
    client.close();
  }

  private static long connectionsNamed(String name) {
    String clients = String.valueOf(REDIS.server().command("CLIENT", "LIST"));
    return clients.lines().filter(line -> line.contains("name=" + name + " ")).count();
  }

  @Test
  @DisplayName("B17: closing the backend closes its two connections and not the client")
  void theClientStaysTheCallers() {
    uri.setClientName("given");
    LockBackend backend = LettuceBackend.of(client, uri);
    backend.execute(count("k"));
    assertEquals(2, connectionsNamed("given"));
    backend.close();
    Fixture.await("they are closed", () -> connectionsNamed("given") == 0);

    assertEquals(Outcome.NOT_EXECUTED, failure(() -> backend.execute(count("k"))).outcome());
    try (var connection = client.connect(uri)) {
      assertEquals("PONG", connection.sync().ping());
    }
  }

  @Test
  @DisplayName(
      "B2: a client that keeps commands while disconnected is refused, and told what to set")
  void aClientThatKeepsCommandsIsRefused() {
    refused(ClientOptions.create());
    refused(
        ClientOptions.builder().disconnectedBehavior(DisconnectedBehavior.ACCEPT_COMMANDS).build());
  }

  @Test
  @DisplayName("A client that does not reconnect is refused, and told what to set")
  void aClientThatDoesNotReconnectIsRefused() {
    refused(
        ClientOptions.builder()
            .autoReconnect(false)
            .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
            .build());
  }

  private void refused(ClientOptions options) {
    client.setOptions(options);
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> LettuceBackend.of(client, uri));
    assertTrue(message(e).contains("DisconnectedBehavior.REJECT_COMMANDS"), message(e));
    assertTrue(message(e).contains("autoReconnect(true)"), message(e));
    // What the message says must help.
    client.setOptions(
        client
            .getOptions()
            .mutate()
            .autoReconnect(true)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    LettuceBackend.of(client, uri).close();
  }

  @Test
  @DisplayName("A URI with sentinels is refused")
  void aSentinelUriIsRefused() {
    RedisURI sentinels = RedisURI.Builder.sentinel("127.0.0.1", "mymaster").build();
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> LettuceBackend.of(client, sentinels));
    assertTrue(message(e).contains("Sentinel"), message(e));
  }

  @Test
  @DisplayName("B1: the client's own time limit, if shorter, leaves the outcome unknown")
  void theClientsOwnTimeLimitLeavesTheOutcomeUnknown() {
    TimeoutOptions limit = TimeoutOptions.enabled(Duration.ofMillis(200));
    client.setOptions(client.getOptions().mutate().timeoutOptions(limit).build());
    try (LockBackend backend = LettuceBackend.of(client, uri)) {
      backend.execute(count("k"));
      REDIS.server().pause();
      BackendException e = failure(() -> backend.execute(count("k")));
      assertEquals(Outcome.UNKNOWN, e.outcome());
    } finally {
      REDIS.server().resume();
    }
  }

  @Test
  @DisplayName("A client with command listeners serves too, and its silent links are found")
  void aClientWithCommandListenersServes() {
    client.addListener(new CommandListener() {});
    try (TcpProxy proxy = TcpProxy.to(REDIS.server())) {
      RedisURI through = RedisURI.create(proxy.uri());
      try (LockBackend backend = LettuceBackend.of(client, through)) {
        Recorder recorder = new Recorder();
        backend.subscribe("ch", recorder);
        recorder.await("subscribed");
        backend.execute(count("k"));
        proxy.stall();
        recorder.await("interrupted");
        proxy.cut();
        proxy.resume();
        recorder.await("subscribed", 2);
      }
    }
  }

  @Test
  @DisplayName("B16: a refused server leaves no connection and the client open")
  void aRefusedServerLeavesNoConnection() {
    try (TcpProxy proxy = TcpProxy.to(REDIS.server())) {
      RedisURI through = RedisURI.create(proxy.uri());
      through.setDatabase(99);
      BackendException e = failure(() -> LettuceBackend.of(client, through));
      assertTrue(message(e).contains("DB index"), e.getMessage());
      Fixture.await("all are closed", () -> proxy.connections() == 0);
    }
    try (var connection = client.connect(uri)) {
      assertFalse(List.of(connection.sync().ping()).isEmpty());
    }
  }
}
