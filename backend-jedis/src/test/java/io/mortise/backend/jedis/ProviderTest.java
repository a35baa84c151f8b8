package io.mortise.backend.jedis;

import static io.mortise.backend.jedis.Fixture.assertFails;
import static io.mortise.backend.jedis.Fixture.assertWorks;
import static io.mortise.backend.jedis.Fixture.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.LockBackend;
import java.net.URI;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of a URI, and servers that restrict their users. */
class ProviderTest {
  private static final String SECRET = "Wort-99";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:Wort-99@",
        "redis://:Wort-99@/3",
        "redis://:Wort-99@:6379",
        "redis://:Wort-99@host:port",
        "redis://:Wort-99@host:65536",
        "redis://:Wort-99@host:123456",
        "redis://:Wort-99@host/db",
        "redis://:Wort-99@host/-1",
        "redis://:Wort-99@host/1/2",
        "redis://:Wort-99@host?password=Wort-99",
        "redis://Wort-99@host",
        "redis:host:6379",
        "rediss:///"
      })
  @DisplayName("B18, B21: a URI of another form is refused, and its secret is not shown")
  void aMalformedUri(String uri) {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> open(URI.create(uri)));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("redis[s]://[[user]:password@]host[:port][/database]"), message);
    assertFalse(message.contains(SECRET), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-sentinel://:Wort-99@host",
        "redis-sentinel://:Wort-99@host:26379/0",
        "redis-sentinel://:Wort-99@host:0#mymaster",
        "redis-sentinel://:Wort-99@one,two:65536#mymaster",
        "redis-sentinel://:Wort-99@one,#mymaster",
        "redis-sentinel://Wort-99@host#mymaster",
        "redis-sentinel://:Wort-99@host/db#mymaster",
        "redis-sentinel://host?password=Wort-99#mymaster"
      })
  @DisplayName("B18, B21: a URI of sentinels in another form, or without a master, is refused")
  void aMalformedSentinelUri(String uri) {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> open(URI.create(uri)));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains("redis"), message);
    assertTrue(message.contains("master"), message);
    assertFalse(message.contains(SECRET), message);
  }

  @Test
  @DisplayName("B16: user, password and database of the URI are used, percent-decoded")
  void userPasswordAndDatabase() {
    try (RedisServer server =
        RedisServer.builder()
            .arguments("--user", "us:er", "on", ">p@ss:w%+rd/ü", "~*", "&*", "+@all")
            .start()) {
      String encoded = "us%3Aer:p%40ss%3Aw%25+rd%2F%C3%BC";
      try (LockBackend backend = open(URI.create(server.uri(encoded) + "/5"))) {
        assertWorks(backend);
        Recorder recorder = new Recorder();
        backend.subscribe("channel", recorder);
        recorder.await(1);
        String clients = String.valueOf(server.command("CLIENT", "LIST"));
        assertEquals(
            2,
            clients
                .lines()
                .filter(line -> line.contains(" db=5 ") && line.contains(" user=us:er"))
                .filter(line -> line.contains(" name=mortise-test "))
                .count(),
            clients);
        assertFalse(backend.toString().contains("rd"), backend::toString);
      }
    }
  }

  @Test
  @DisplayName("B16: a database the server does not have is refused in the server's words")
  void aDatabaseOutOfRange() {
    try (RedisServer server = RedisServer.start()) {
      BackendException error =
          assertFails(Outcome.NOT_EXECUTED, () -> open(URI.create(server.uri() + "/4711")));
      assertTrue(
          String.valueOf(error.getMessage()).contains("DB index is out of range"), error::toString);
    }
  }

  @Test
  @DisplayName("B1, B16: a wrong password is not executed, in the server's words")
  void aWrongPassword() {
    try (RedisServer server = RedisServer.builder().password("right").start()) {
      BackendException error =
          assertFails(Outcome.NOT_EXECUTED, () -> open(server.uri(":" + SECRET)));
      String message = String.valueOf(error.getMessage());
      assertTrue(message.contains("WRONGPASS"), message);
      assertTrue(message.contains(server.host() + ':' + server.port()), message);
      assertFalse(message.contains(SECRET), message);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B16: a user with permission only to run scripts and subscribe is enough")
  void theSmallestAcl(RedisServer.Binary binary) {
    try (RedisServer server =
        RedisServer.builder()
            .binary(binary)
            .arguments("--user", "small", "on", ">word", "~mortise:*", "resetchannels", "-@all")
            .start()) {
      server.command("ACL", "SETUSER", "small", "&mortise:*", "+eval", "+evalsha", "+subscribe");
      try (LockBackend backend = open(server.uri("small:word"))) {
        assertWorks(backend);
        Recorder recorder = new Recorder();
        backend.subscribe("mortise:channel", recorder);
        recorder.await(1);
        assertEquals(1L, server.command("PUBLISH", "mortise:channel", "hello"));
        recorder.await(2);
      }
    }
  }
}
