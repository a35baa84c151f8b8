package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the environment says, in a process of the command's own. */
@Tag("ci")
@Tag("once")
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EnvironmentTest {
  /** What a process has written on both streams, and its exit code. */
  private record Ended(int code, String written) {}

  private static Ended mortise(Map<String, String> variables, List<String> jvm, String... args)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
    command.addAll(jvm);
    command.add(Main.class.getName());
    command.addAll(List.of(args));
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
}
