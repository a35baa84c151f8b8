package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The demo on a real Redis, in one process and in several. */
@Tag("ci")
@Tag("once")
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ProcessesTest {
  private static final String SECRET = "s3cret";
  private static final Duration A_WHILE = Duration.ofMinutes(10);

  private final RedisServer redis = RedisServer.builder().password(SECRET).start();
  private Set<Path> foldersBefore = Set.of();

  @BeforeEach
  void rememberFolders() throws IOException {
    foldersBefore = folders();
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    redis.close();
    assertEquals(List.of(), children());
    assertEquals(foldersBefore, folders());
  }

  private static Set<Path> folders() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).startsWith("mortise-demo-"))
          .collect(Collectors.toSet());
    }
  }

  /** The command lines of the demo's running processes. */
  private static List<String> children() {
    return ProcessHandle.current()
        .descendants()
        .map(process -> process.info().commandLine().orElse(""))
        .filter(line -> line.contains(DemoProcess.NAME))
        .toList();
  }

  private CompletableFuture<Invocation> demo(String... more) {
    String[] args =
        Stream.concat(Stream.of("demo", "--uri", redis.uri().toString()), Stream.of(more))
            .toArray(String[]::new);
    return Invocation.inThread(() -> Invocation.of(args));
  }

  /** Waits until the workers lock, or have failed to. */
  private void awaitCommands(CompletableFuture<Invocation> demo) throws InterruptedException {
    while (!demo.isDone() && redis.commandCounts().getOrDefault("evalsha", 0L) < 100) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  void processesOfBothClientsShareOneCounterAndLoseNothing() {
    Invocation demo = demo("--processes", "2", "--backend", "both", "--seconds", "2").join();
    assertEquals(0, demo.exitCode(), demo.all());
    assertTrue(demo.out().matches("(?s).*with Mortise +([1-9][0-9,]*) +\\1 +0 .*"), demo.out());
    assertTrue(demo.out().lines().anyMatch(line -> line.matches("1 +jedis .* %.* %")), demo.out());
    assertTrue(
        demo.out().lines().anyMatch(line -> line.matches("2 +lettuce .* %.* %")), demo.out());
    assertFalse(demo.all().contains(SECRET), demo.all());
  }

  @ParameterizedTest
  @EnumSource(names = "PLAIN", mode = EnumSource.Mode.EXCLUDE)
  @Tag("all")
  void aKindOfLockLosesNothingAcrossProcesses(DemoLock kind) {
    losesNothing(kind);
  }

  private void losesNothing(DemoLock kind) {
    Invocation demo =
        demo("--processes", "2", "--backend", "both", "--seconds", "2", "--kind", kind.text())
            .join();
    assertEquals(0, demo.exitCode(), demo.all());
    assertTrue(demo.out().contains(", a " + kind.text() + " lock, on"), demo.out());
    assertEquals(
        kind == DemoLock.FENCED, redis.commandCounts().containsKey("get"), "the counter's");
    assertTrue(
        !DemoTest.NEVER_PASSED_ON.contains(kind) // the others may also have none in a short run
            || demo.out().lines().anyMatch(line -> line.matches("1 +jedis .* 0\\.0 %")),
        demo.out());
    assertTrue(demo.out().matches("(?s).*with Mortise +([1-9][0-9,]*) +\\1 +0 .*"), demo.out());
    assertFalse(demo.out().matches("(?s).*without a lock +[0-9,]+ +[0-9,]+ +0 .*"), demo.out());
  }

  @Test
  void thePasswordIsOnNoCommandLine() throws InterruptedException {
    CompletableFuture<Invocation> demo = demo("--processes", "2", "--seconds", "2");
    while (children().size() < 2 && !demo.isDone()) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    List<String> lines = children();
    assertEquals(2, lines.size(), lines.toString());
    assertFalse(lines.toString().contains(SECRET), lines.toString());
    assertEquals(0, demo.join().exitCode(), demo.join().all());
  }

  @Test
  @Tag("all")
  void theCommandsShownAreThoseTheServerRan() {
    redis.resetCounts();
    // A lock that is not handed off. One that is sends few commands, and those at the ends count.
    Invocation demo = demo("--seconds", "1", "--backend", "jedis", "--kind", "fair").join();
    Map<String, Long> counts = redis.commandCounts();
    List<String> rows = demo.out().lines().filter(line -> line.startsWith("with Mortise")).toList();
    String[] row = rows.get(0).split(" {2,}", -1);
    double shown = Double.parseDouble(rows.get(1).split(" ", -1)[2]);
    double ran = counts.getOrDefault("evalsha", 0L) + counts.getOrDefault("eval", 0L);
    double increments = Double.parseDouble(row[1].replace(",", ""));
    assertEquals(ran / increments, shown, 0.01 + shown * 0.05, demo.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  @Tag("all")
  void aServerThatDiesEndsTheDemoWithItsExitCode(String processes) throws InterruptedException {
    // A plain lock is handed off, so it sends few commands.
    CompletableFuture<Invocation> demo =
        demo("--processes", processes, "--seconds", "4", "--kind", "fair");
    awaitCommands(demo);
    redis.kill();
    Invocation ended = demo.join();
    assertEquals(3, ended.exitCode(), ended.all());
    assertEquals(
        1, ended.err().lines().filter(line -> line.startsWith("mortise: ")).count(), ended.err());
    assertFalse(ended.all().contains(SECRET), ended.all());
  }

  @Test
  void aProcessThatIsKilledFailsTheDemo() throws InterruptedException {
    CompletableFuture<Invocation> demo = demo("--processes", "2", "--seconds", "60");
    while (children().size() < 2 && !demo.isDone()) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    ProcessHandle.current()
        .descendants()
        .filter(process -> process.info().commandLine().orElse("").contains(DemoProcess.NAME))
        .findFirst()
        .ifPresent(ProcessHandle::destroyForcibly);
    Invocation ended = demo.join();
    assertEquals(1, ended.exitCode(), ended.all());
    assertTrue(ended.err().contains(" ended with exit code 137"), ended.err());
  }

  @Test
  void aProcessEndsWithItsInputAndTakesTheFileAlong() throws Exception {
    CounterFile file = CounterFile.create();
    LocalParty.Site site =
        new LocalParty.Site(
            URI.create("memory:x"), "memory", "lock", DemoLock.PLAIN, Duration.ZERO);
    ChildProcess child = ChildProcess.start(1, site, file, 2);
    child.ready().get();
    CompletableFuture<Tally> run = child.start(Phase.WITH, A_WHILE);
    while (child.soFar().increments() == 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertTrue(Files.exists(file.path()));
    child.close();
    assertFalse(run.isCompletedExceptionally(), "an end on request is no failure");
    assertEquals(List.of(), children());
    assertFalse(Files.exists(file.folder()));
  }

  @Test
  void aProcessThatCannotOpenItsStoreSaysWhy() {
    CounterFile file = CounterFile.create();
    LocalParty.Site site =
        new LocalParty.Site(
            URI.create("redis://127.0.0.1:1"), "jedis", "lock", DemoLock.PLAIN, Duration.ZERO);
    try (ChildProcess child = ChildProcess.start(7, site, file, 2)) {
      CompletionException thrown =
          assertThrows(CompletionException.class, () -> child.ready().join());
      Failure failure = Failure.of(thrown);
      assertEquals(3, failure.exitCode());
      assertTrue(String.valueOf(failure.getMessage()).startsWith("process 7 (jedis): redis://"));
    } finally {
      file.delete();
    }
  }
}
