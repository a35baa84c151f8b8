package io.mortise.conformance.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.redis.RedisServer.Binary;
import io.mortise.conformance.support.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RedisServerTest {
  @ParameterizedTest
  @EnumSource(Binary.class)
  void aServerAnswersCommandsOfEveryReplyShape(Binary binary) {
    try (RedisServer server = RedisServer.builder().binary(binary).start()) {
      assertEquals("OK", server.command("SET", "k", "äö€"));
      assertEquals("äö€", server.command("GET", "k"));
      assertEquals(null, server.command("GET", "absent"));
      assertEquals(2L, server.command("RPUSH", "l", "a", ""));
      assertEquals(List.of("a", ""), server.command("LRANGE", "l", "0", "-1"));
      assertEquals(
          Arrays.asList(1L, null, List.of("x")),
          server.command("EVAL", "return {1, false, {'x'}}", "0"));
      assertEquals(Set.of("k", "l"), server.keys());
      RespException error = assertThrows(RespException.class, () -> server.command("GET", "l"));
      assertTrue(String.valueOf(error.getMessage()).startsWith("WRONGTYPE "), error::toString);
    }
  }

  @Test
  void theEmbeddedServerIsRedis62() {
    try (RedisServer server = RedisServer.builder().binary(Binary.EMBEDDED).start()) {
      String info = String.valueOf(server.command("INFO", "server"));
      assertTrue(info.contains("redis_version:6.2."), info);
    }
  }

  @Test
  void aRestartedServerIsEmptyAnotherProcessAndInTheSamePlace() {
    try (RedisServer server = RedisServer.start()) {
      long pid = server.pid();
      int port = server.port();
      server.command("SET", "k", "v");
      server.restart();
      assertEquals(Set.of(), server.keys());
      assertNotEquals(pid, server.pid());
      assertEquals(port, server.port());
    }
  }

  @Test
  void aServerEndsWithAJvmThatIsKilled() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no /bin/sh");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            KilledProcess.class.getName());
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process killed = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = killed.inputReader()) {
      ProcessHandle server = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      killed.destroyForcibly();

      Await.until("the server ends", Duration.ofSeconds(60), () -> !server.isAlive());
    } finally {
      killed.destroyForcibly();
    }
  }

  /** Starts three servers, ends the first and last, and tells the process id of the other one. */
  static final class KilledProcess {
    private KilledProcess() {}

    /** Runs until it is killed. */
    public static void main(String[] args) throws InterruptedException {
      RedisServer first = RedisServer.start();
      try (RedisServer server = RedisServer.start()) {
        first.close();
        RedisServer.start().close();
        System.out.println(server.pid());
        TimeUnit.HOURS.sleep(1);
      }
    }
  }

  @Test
  void aPausedServerIsSilentAndGoesOnWhenResumed() throws IOException {
    try (RedisServer server = RedisServer.start();
        RespConnection connection =
            new RespConnection(server.host(), server.port(), Duration.ofMillis(300))) {
      assertEquals("PONG", connection.call("PING"));
      server.pause();
      connection.send("INCR", "n");
      assertThrows(SocketTimeoutException.class, connection::read);
      server.resume();
      connection.timeout(Duration.ofSeconds(10));
      assertEquals(1L, connection.read());
    }
  }

  @Test
  void aKilledServerCannotBeReached() {
    try (RedisServer server = RedisServer.start()) {
      server.kill();
      assertThrows(RuntimeException.class, () -> server.command("PING"));
      assertThrows(IllegalStateException.class, server::pause);
    }
  }

  @Test
  void stoppingEndsEvenAPausedServerAndMayBeRepeated() {
    RedisServer server = RedisServer.start();
    ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
    server.pause();
    server.stop();
    server.close();
    assertFalse(process.isAlive());
  }

  @Test
  void aServerThatCannotStartReportsItsOutput() {
    RedisServer.Builder builder = RedisServer.builder().arguments("--no-such-setting", "1");
    IllegalStateException error = assertThrows(IllegalStateException.class, builder::start);
    assertTrue(String.valueOf(error.getMessage()).contains("no-such-setting"), error::toString);
  }

  @Test
  void passwordsAndUsersGuardTheServer() throws IOException {
    try (RedisServer server =
            RedisServer.builder()
                .password("secret")
                .arguments("--user", "alice", "on", ">wonder", "~a:*", "&*", "+@all")
                .start();
        RespConnection stranger =
            new RespConnection(server.host(), server.port(), Duration.ofSeconds(10))) {
      assertEquals("PONG", server.command("PING"));
      assertEquals(":secret", server.uri().getUserInfo());
      assertThrows(RespException.class, () -> stranger.call("GET", "a:1"));
      assertEquals("OK", stranger.call("AUTH", "alice", "wonder"));
      assertEquals(null, stranger.call("GET", "a:1"));
      assertThrows(RespException.class, () -> stranger.call("GET", "b:1"));
    }
  }

  @Test
  void commandsOfScriptsAreCountedToo() {
    try (RedisServer server = RedisServer.start()) {
      server.command("SET", "k", "v");
      server.resetCounts();
      server.command("EVAL", "redis.call('GET', 'k') return redis.call('GET', 'k')", "0");
      assertEquals(Map.of("eval", 1L, "get", 2L), server.commandCounts());
    }
  }
}
