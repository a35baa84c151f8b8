package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the environment says, in a process of the command's own. */
@Tag("ci")
@Tag("once")
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EnvironmentTest {
  /** What a process has written on both streams, and its exit code. */
  private record Ended(int code, String written) {}

  private static Ended mortise(Map<String, String> variables, List<String> jvm, String... args)
      throws IOException, InterruptedException {
    return end(variables, java(jvm, args));
  }

  private static List<String> java(List<String> jvm, String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
    command.addAll(jvm);
    command.add(Main.class.getName());
    command.addAll(List.of(args));
    return command;
  }

  private static Ended end(Map<String, String> variables, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    String written = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), written.strip());
  }

  @Test
  void aPasswordWithDollarsInTheVariableIsTakenAsItIs() throws Exception {
    try (RedisServer redis = RedisServer.builder().password("a$$b").start()) {
      Map<String, String> variables = Map.of("MORTISE_URI", redis.uri().toString());
      assertEquals(
          new Ended(0, "mortise: no such lock is held"), mortise(variables, List.of(), "list"));
      Ended demo = mortise(variables, List.of(), "demo", "--seconds", "1", "--workers", "1");
      assertEquals(0, demo.code(), demo.written());
      assertTrue(demo.written().contains(" on redis://"), demo.written());
    }
  }

  @Test
  void numbersHaveTheSameDigitsInEveryLocale() throws Exception {
    List<String> arabic = List.of("-Duser.language=ar", "-Duser.country=EG");
    Ended top = mortise(Map.of(), arabic, "top", "--once", "--uri", "memory:x");
    assertTrue(top.written().startsWith("0 held, 0 waiting"), top.written());
  }

  /** Cron has no locale. A name would be another lock there, and a command got other arguments. */
  @ParameterizedTest
  @CsvSource({"C.UTF-8, 0, gr\u00f6", "C, 64, mortise: argument 4 is no text in the encoding "})
  void anArgumentThatTheLocaleCannotReadIsRefused(String locale, int code, String begin)
      throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self")), "elsewhere arguments are always text");
    String script = "name=$(printf 'gr\\303\\266'); exec \"$@\" \"$name\" -- printf %s \"$name\"";
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.addAll(java(List.of(), "run", "--uri", "memory:x"));
    Ended run = end(Map.of("LC_ALL", locale), command);
    assertEquals(code, run.code(), run.written());
    assertTrue(run.written().startsWith(begin), run.written());
  }
}
