package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The alert rules, by Prometheus's own tool. Skipped where it is not installed. */
class AlertRulesTest {
  private static final Path RULES = Path.of("..", "..", "docs", "grafana");

  @BeforeAll
  static void findTheTool() {
    boolean installed =
        Stream.of(System.getenv("PATH").split(":", -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
    assumeTrue(installed, "promtool is not on the PATH; Debian's package prometheus has it");
  }

  private static void promtool(String... arguments) throws IOException, InterruptedException {
    List<String> command = Stream.concat(Stream.of("promtool"), Stream.of(arguments)).toList();
    Process process =
        new ProcessBuilder(command).directory(RULES.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
  }

  @Test
  void everyRuleCanBeRead() throws Exception {
    promtool("check", "rules", "mortise-alerts.yml");
  }

  @Test
  void eachAlertComesWhenItShouldAndEnds() throws Exception {
    promtool("test", "rules", "mortise-alerts-test.yml");
  }
}
