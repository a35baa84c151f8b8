package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Signals and closed pipes, which need a process of the command's own. */
@Tag("ci")
@Tag("once")
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunSignalsTest {
  private static final String ODD_NAME = "a.b-c%%";
  private static final RedisServer redis = RedisServer.start();
  private static LockService other;

  @TempDir private Path folder;

  private final List<Process> started = new ArrayList<>();

  @BeforeAll
  static void open() {
    assumeTrue(GuardedCommand.canGuard(), "there is no /bin/sh");
    other = LockService.open(redis.uri().toString(), "jedis");
  }

  @AfterAll
  static void close() {
    other.close();
    redis.close();
  }

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  private Process mortise(String... args) throws IOException {
    return mortise(ProcessBuilder.Redirect.PIPE, args);
  }

  private Process mortise(ProcessBuilder.Redirect output, String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                Main.class.getName()));
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("MORTISE_URI", redis.uri().toString());
    builder.environment().put(ODD_NAME, "an 'odd' $value");
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static String awaitLine(BufferedReader lines, String part) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.contains(part)) {
      line = lines.readLine();
    }
    return String.valueOf(line);
  }

  /** A line of the output in the file. A pipe would be closed here when mortise ends. */
  private String awaitLine(String part) throws Exception {
    while (true) {
      Optional<String> line =
          Files.readAllLines(folder.resolve("output")).stream()
              .filter(each -> each.contains(part))
              .findFirst();
      if (line.isPresent()) {
        return line.get();
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private Process mortiseToFile(String... args) throws IOException {
    return mortise(ProcessBuilder.Redirect.to(folder.resolve("output").toFile()), args);
  }

  /** Whether this process ignores hangups. Then all that it starts do, too. */
  private static boolean ignoresHangups() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).trim(), 16) & 1) != 0);
  }

  private static void signal(String name, long pid) throws Exception {
    assertEquals(
        0, new ProcessBuilder("/bin/sh", "-c", "kill -s " + name + ' ' + pid).start().waitFor());
  }

  /** The guard, the shell and {@code sleep}. */
  private static List<ProcessHandle> awaitBelow(Process run) {
    Await.until("all have started", Duration.ofSeconds(60), () -> run.descendants().count() >= 3);
    return run.descendants().toList();
  }

  private static void awaitEnd(ProcessHandle process) {
    Await.until("the process ends", Duration.ofSeconds(60), () -> !process.isAlive());
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "HUP, 129"})
  void aSignalIsPassedOnAndTheLockIsReleasedAfterTheCommandHasEnded(String name, int unused)
      throws Exception {
    assumeFalse(name.equals("HUP") && ignoresHangups(), "hangups are ignored, as below nohup");
    String script =
        "trap 'echo told; while [ ! -e %s/go ]; do sleep 0.1; done; echo ended; exit 9' %s;"
            + " echo started; while :; do sleep 0.1; done";
    script = script.formatted(folder, name);
    Process run = mortise("run", "signalled", "--", "/bin/sh", "-c", script);
    BufferedReader lines = run.inputReader();
    assertEquals("started", awaitLine(lines, "started"));
    signal(name, run.pid());
    assertEquals("told", awaitLine(lines, "told"));
    TimeUnit.MILLISECONDS.sleep(300);
    assertTrue(other.getLock("signalled").isLocked(), "the command is not done yet");
    Files.createFile(folder.resolve("go"));
    assertEquals("ended", awaitLine(lines, "ended"));
    assertEquals(9, run.waitFor());
    assertFalse(other.getLock("signalled").isLocked());
  }

  @Test
  void aSignalEndsTheWait() throws Exception {
    try (Lease lease = other.getLock("waited").acquire()) {
      assertTrue(lease.isValid());
      Process run = mortise("run", "waited", "--", "true");
      assertTrue(
          awaitLine(run.inputReader(), "waits for 'waited' (plain), held by").contains("held"));
      signal("TERM", run.pid());
      assertEquals(143, run.waitFor());
      assertEquals(0, other.getLock("waited").getQueueLength());
    }
  }

  @Test
  void theGuardEndsTheCommandAndAllBelowItWhenMortiseIsKilled() throws Exception {
    Process run =
        mortiseToFile(
            "run", "killed", "--", "/bin/sh", "-c", "echo started; sleep 300; echo never");
    awaitLine("started");
    List<ProcessHandle> below = awaitBelow(run);
    signal("KILL", run.pid());
    assertEquals("mortise: mortise run was killed; its command is ended", awaitLine("killed"));
    for (ProcessHandle each : below) {
      awaitEnd(each);
    }
  }

  @Test
  void theGuardEndsTheCommandAlsoIfNobodyReadsItsMessage() throws Exception {
    Process run = mortise("run", "unread", "--", "/bin/sh", "-c", "echo started; sleep 300");
    awaitLine(run.inputReader(), "started");
    List<ProcessHandle> below = awaitBelow(run);
    run.getInputStream().close();
    signal("KILL", run.pid());
    for (ProcessHandle each : below) {
      awaitEnd(each);
    }
  }

  @Test
  void theGuardEndsWhatStartsInTheGrace() throws Exception {
    String script =
        "trap 'sh -c \"echo later \\$\\$; exec sleep 300\" & wait; sleep 300' TERM;"
            + " echo started; while :; do sleep 0.1; done";
    Process run = mortiseToFile("run", "grace", "--grace", "8s", "--", "/bin/sh", "-c", script);
    awaitLine("started");
    signal("KILL", run.pid());
    long later = Long.parseLong(awaitLine("later ").substring("later ".length()));
    ProcessHandle.of(later).ifPresent(RunSignalsTest::awaitEnd);
  }

  @Test
  void aVariableWhoseNameIsNoneInAShellReachesTheCommand() throws Exception {
    Process run = mortise("run", "odd", "--", "env");
    assertEquals(ODD_NAME + "=an 'odd' $value", awaitLine(run.inputReader(), ODD_NAME));
    assertEquals(0, run.waitFor());
  }

  @Test
  void aClosedPipeIsExitCode141AndNoError() throws Exception {
    Process top = mortise("top", "--every", "100ms");
    awaitLine(top.inputReader(), "held");
    top.getInputStream().close();
    assertEquals(141, top.waitFor());
  }
}
