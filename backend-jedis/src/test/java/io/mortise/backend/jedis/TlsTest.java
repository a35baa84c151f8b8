package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertTook;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.TlsServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Servers with TLS. */
class TlsTest {
  private static final String SECRET = "Wort-99";
  private static final String HOST = "127.0.0.1";

  private TlsServer server;

  @BeforeEach
  void startServer() {
    Assumptions.assumeTrue(TlsServer.isPossible(), "there is no openssl");
    server = TlsServer.start(SECRET);
  }

  @AfterEach
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  private static URI uri(String scheme, int port) {
    return URI.create(scheme + "://:" + SECRET + '@' + HOST + ':' + port);
  }

  private static void assertRefused(URI uri, String why) {
    BackendException error = assertFails(Outcome.NOT_EXECUTED, () -> open(uri));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains(uri.getHost() + ':' + uri.getPort()), message);
    assertTrue(message.contains(why), message);
    assertFalse(message.contains(SECRET), message);
  }

  @Test
  @DisplayName("B16: rediss speaks TLS to a server whose certificate is trusted")
  void aTrustedServer() {
    server.trust();
    try (LockBackend backend = open(server.uri(SECRET, HOST))) {
      assertWorks(backend);
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      assertEquals(1L, server.server().command("PUBLISH", "channel", "hello"));
      recorder.await(2);
    }
  }

  @Test
  @DisplayName("B13: a silent TLS link is found, and is ended although a thread reads it")
  void aSilentLink() throws Throwable {
    server.trust();
    try (LockBackend backend = open(server.uri(SECRET, HOST))) {
      Recorder recorder = new Recorder();
      backend.subscribe("channel", recorder);
      recorder.await(1);
      server.server().pause();
      assertTook(Duration.ofSeconds(8), () -> recorder.await(2));
      server.server().resume();
      recorder.await(3);
    }
  }

  @Test
  @DisplayName("B16, B18: an untrusted certificate is refused, and so is one of another host")
  void anUntrustedServer() {
    server.trustAnother();
    assertRefused(server.uri(SECRET, HOST), "trust anchors");
    server.trust();
    assertRefused(server.uri(SECRET, "localhost"), "No name matching");
  }

  @Test
  @DisplayName("B16, B18: TLS to a plain port and plain to a TLS port are refused")
  void theWrongScheme() {
    server.trust();
    assertRefused(uri("rediss", server.server().port()), "it answers without TLS");
    assertRefused(uri("redis", server.port()), "TLS (rediss)");
  }
}
