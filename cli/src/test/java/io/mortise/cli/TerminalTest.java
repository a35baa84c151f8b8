package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code top} and {@code run} in a pseudo terminal, with Ctrl-C. */
@Tag("ci")
@Tag("once")
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class TerminalTest {
  private final RedisServer redis = RedisServer.start();

  @BeforeEach
  void needPython() throws Exception {
    Process python =
        new ProcessBuilder("/bin/sh", "-c", "python3 -c 'import pty, termios' 2>/dev/null").start();
    assumeTrue(python.waitFor() == 0, "there is no python3 with pty");
  }

  @AfterEach
  void close() {
    redis.close();
  }

  /** What a command writes on a terminal on which Ctrl-C is typed when a text appears. */
  private String inTerminal(int columns, String interruptAt, String... args) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "python3",
                Path.of("src/test/resources/terminal.py").toAbsolutePath().toString(),
                String.valueOf(columns),
                interruptAt,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                Main.class.getName()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("MORTISE_URI", redis.uri().toString());
    builder.environment().put("TERM", "xterm");
    builder.environment().remove("NO_COLOR");
    Process process = builder.start();
    String written = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), written);
    return written;
  }

  @Test
  void topFillsANarrowScreenAndGivesTheFirstOneBack() throws Exception {
    try (LockService holder = LockService.open(redis.uri().toString(), "jedis")) {
      holder.getLock(CommandsTest.NASTY + "a-name-that-is-longer-than-the-screen").acquire();
      String shown = inTerminal(20, "----", "top", "--every", "100ms");
      assertTrue(shown.contains(Terminal.OPEN), shown);
      assertTrue(shown.endsWith(Terminal.CLOSE), shown);
      String screen =
          shown.substring(shown.indexOf(Terminal.TOP), shown.lastIndexOf(Terminal.CLOSE));
      assertTrue(
          Stream.of(screen.split("\r\n", -1))
              .map(line -> line.replaceAll("\033\\[[0-9;?]*[A-Za-z]", ""))
              .allMatch(line -> line.replace("^C", "").length() <= 20),
          shown);
      assertFalse(shown.contains("\u0007"), shown);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 100})
  void aListIsAsWideAsTheTerminal(int columns) throws Exception {
    try (LockService holder = LockService.open(redis.uri().toString(), "jedis")) {
      holder.getLock("a-name-of-seventy-columns-" + "x".repeat(44)).acquire();
      String shown = inTerminal(columns, "", "list");
      assertEquals(columns, shown.lines().mapToInt(String::length).max().orElse(0), shown);
    }
  }

  @Test
  void controlCReachesTheCommandOnce() throws Exception {
    String script = "n=0; trap 'n=$((n+1))' INT; echo started; sleep 30; sleep 1; echo times $n";
    String shown = inTerminal(80, "started", "run", "x", "--", "/bin/sh", "-c", script);
    assertTrue(shown.contains("times 1\r\n"), shown);
  }
}
