package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.Lease;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.conformance.support.Await;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands under a lock, started from this process. Signals are in {@link RunSignalsTest}. */
@Timeout(180)
class RunTest {
  private static final RedisServer redis = RedisServer.start();
  private static LockService other;

  @TempDir private Path folder;

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

  private static Invocation run(String name, String... more) {
    List<String> args = new ArrayList<>(List.of("run", "--uri", redis.uri().toString(), name));
    args.addAll(List.of(more));
    return Invocation.of(args.toArray(String[]::new));
  }

  private static String[] shell(String script) {
    return new String[] {"--", "/bin/sh", "-c", script};
  }

  private static String[] shell(String option, String value, String script) {
    return new String[] {option, value, "--", "/bin/sh", "-c", script};
  }

  private void awaitFile(String name) throws InterruptedException {
    while (!Files.exists(folder.resolve(name))) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @ParameterizedTest
  @CsvSource({"exit 0, 0", "exit 7, 7", "kill -TERM $$, 143", "kill -KILL $$, 137"})
  void theExitCodeIsThatOfTheCommand(String script, int code) {
    Invocation ran = run("code", shell(script));
    assertEquals(code, ran.exitCode(), ran.all());
    assertEquals("", ran.all());
    assertFalse(other.getLock("code").isLocked());
  }

  @Test
  void theCommandRunsUnderTheLockAndFindsItsTokenAndName() throws Exception {
    String script =
        "echo $MORTISE_TOKEN $MORTISE_LOCK >'%s/seen'; while [ ! -e '%s/go' ]; do sleep 0.05; done"
            .formatted(folder, folder);
    CompletableFuture<Invocation> run = Invocation.inThread(() -> run("a b", shell(script)));
    awaitFile("seen");
    long token = other.getLock("a b").holder().orElseThrow().fencingToken().getAsLong();
    Files.createFile(folder.resolve("go"));
    assertEquals(0, run.join().exitCode());
    assertEquals(token + " a b", Files.readString(folder.resolve("seen")).strip());
    assertFalse(other.getLock("a b").isLocked());
  }

  @Test
  void argumentsReachTheCommandAsTheyAre() throws IOException {
    Path seen = folder.resolve("seen");
    Invocation ran =
        run(
            "args",
            "--",
            "/bin/sh",
            "-c",
            "printf '%s|' \"$@\" >" + seen,
            "sh",
            "@file",
            "--json",
            "a b",
            "$HOME",
            "'",
            "--",
            "-n");
    assertEquals(0, ran.exitCode(), ran.all());
    assertEquals("@file|--json|a b|$HOME|'|--|-n|", Files.readString(seen));
  }

  @Test
  void aBusyLockIsExitCode75OrTheChosenOne() throws Exception {
    try (Lease lease = other.getLock("busy").acquire()) {
      assertTrue(lease.isValid());
      Invocation busy = run("busy", "-n", "--", "/bin/sh", "-c", "exit 0");
      assertEquals(75, busy.exitCode(), busy.all());
      assertEquals("mortise: 'busy' is held by somebody else", busy.err().strip());
      assertEquals(
          9, run("busy", "-w", "50ms", "-E", "9", "--", "/bin/sh", "-c", "exit 0").exitCode());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 64, 141})
  void aBusyCodeThatMortiseUsesItselfIsKept(int code) throws Exception {
    try (Lease lease = other.getLock("coded").acquire()) {
      assertTrue(lease.isValid());
      Invocation busy = run("coded", "-n", "-E", "" + code, "--", "true");
      assertEquals(code, busy.exitCode(), busy.all());
      assertEquals("mortise: 'coded' is held by somebody else", busy.err().strip());
    }
  }

  @Test
  void permitsAreShared() throws Exception {
    try (Lease lease = other.getSemaphore("three", 3).acquire(2)) {
      assertEquals(2, lease.permits());
      assertEquals(0, run("three", "-n", "--permits", "1/3", "--", "true").exitCode());
      assertEquals(75, run("three", "-n", "--permits", "2/3", "--", "true").exitCode());
      Invocation wrong = run("three", "-n", "--permits", "1/4", "--", "true");
      assertEquals(64, wrong.exitCode(), wrong.all());
    }
  }

  @ParameterizedTest
  @CsvSource({"plain", "fair", "read", "write"})
  void everyKindOfLock(String kind) {
    assertEquals(3, run("kind", shell("--kind", kind, "exit 3")).exitCode());
    assertEquals(List.of(), other.status("kind"));
  }

  @Test
  void aLostLockEndsTheCommandAndAllBelowIt() throws Exception {
    String script =
        "sh -c 'trap \"\" TERM; echo $$ >\"%s/below\"; exec sleep 120' & wait".formatted(folder);
    CompletableFuture<Invocation> run =
        Invocation.inThread(() -> run("lost", shell("--grace", "1s", script)));
    while (!Files.exists(folder.resolve("below")) || Files.size(folder.resolve("below")) == 0) {
      TimeUnit.MILLISECONDS.sleep(20);
    }
    assertTrue(other.getLock("lost").forceUnlock());
    Invocation ended = run.join();
    assertEquals(74, ended.exitCode(), ended.all());
    assertEquals("mortise: the lock was lost; the command is ended", ended.err().strip());
    awaitEnds("below");
  }

  /**
   * Waits until the system has noticed the end of each process whose id is in the file. {@code
   * onExit} would need a free thread of the common pool.
   */
  private void awaitEnds(String name) throws IOException {
    for (String each : Files.readAllLines(folder.resolve(name))) {
      ProcessHandle.of(Long.parseLong(each))
          .ifPresent(process ->
              Await.until(name + " ends", Duration.ofSeconds(60), () -> !process.isAlive()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "trap 'sh %1$s & wait; sleep 120' TERM; touch %2$s; while :; do sleep 0.1; done",
        "trap '' TERM; touch %2$s; while :; do sh %1$s & sleep 0.01; done"
      })
  void whatStartsInTheGraceEndsToo(String script) throws Exception {
    Path later =
        Files.writeString(
            folder.resolve("later.sh"), "echo $$ >>%s/later; exec sleep 120".formatted(folder));
    String command = script.formatted(later, folder.resolve("started"));
    CompletableFuture<Invocation> run =
        Invocation.inThread(() -> run("grace", shell("--grace", "5s", command)));
    awaitFile("started");
    assertTrue(other.getLock("grace").forceUnlock());
    assertEquals(74, run.join().exitCode());
    awaitEnds("later");
  }

  @Test
  void aReaderOfStderrThatHasStoppedDoesNotKeepTheCommandAlive() throws Exception {
    String script = "echo $$ >%s/pid; touch %s/started; exec sleep 120".formatted(folder, folder);
    String uri = redis.uri().toString();
    try (StuckWriter err = new StuckWriter()) {
      CompletableFuture<Integer> run =
          Invocation.inThread(
              () -> err.run("run", "--uri", uri, "stuck", "--", "/bin/sh", "-c", script));
      awaitFile("started");
      assertTrue(other.getLock("stuck").forceUnlock());
      awaitEnds("pid");
      assertEquals("", err.toString());
      err.goOn();
      assertEquals(74, run.join());
      assertEquals("mortise: the lock was lost; the command is ended", err.toString().strip());
    }
  }

  /** A stderr that takes nothing until it is told to, or closed. */
  private static final class StuckWriter extends Writer {
    private final CountDownLatch go = new CountDownLatch(1);
    private final StringBuffer written = new StringBuffer();

    int run(String... args) {
      PrintWriter nothing = new PrintWriter(Writer.nullWriter());
      return Main.run(new Streams(nothing, new PrintWriter(this), false, 80, false, false), args);
    }

    void goOn() {
      go.countDown();
    }

    @Override
    public void write(char[] from, int start, int length) throws IOException {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
      written.append(from, start, length);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      goOn();
    }

    @Override
    public String toString() {
      return written.toString();
    }
  }

  @Test
  void aLostLockCanBeIgnored() throws Exception {
    String script =
        "touch \"%s/started\"; while [ ! -e \"%s/go\" ]; do sleep 0.05; done; exit 5"
            .formatted(folder, folder);
    CompletableFuture<Invocation> run =
        Invocation.inThread(() -> run("ignored", shell("--on-lost", "ignore", script)));
    awaitFile("started");
    assertTrue(other.getLock("ignored").forceUnlock());
    TimeUnit.MILLISECONDS.sleep(300); // it may also notice when it ends
    Files.createFile(folder.resolve("go"));
    assertEquals(5, run.join().exitCode());
  }

  @Test
  void withAStoreThatIsSilentTheCommandEndsBeforeTheLeaseDoes() throws Exception {
    try (RedisServer silent = RedisServer.start();
        StuckWriter err = new StuckWriter()) {
      String[] args = {
        "run",
        "--uri",
        silent.uri().toString(),
        "--lease",
        "8s",
        "--grace",
        "1s",
        "silent",
        "--",
        "/bin/sh",
        "-c",
        "echo $$ >%s/pid; touch %s/started; exec sleep 120".formatted(folder, folder)
      };
      CompletableFuture<Integer> run = Invocation.inThread(() -> err.run(args));
      awaitFile("started");
      long start = System.nanoTime();
      silent.pause();
      awaitEnds("pid");
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      err.goOn();
      int code = run.join();
      silent.resume();
      assertEquals(74, code, err::toString);
      assertTrue(err.toString().contains("not renewed at present"), err::toString);
      assertTrue(err.toString().contains("about to be lost; the command is ended"), err::toString);
      assertTrue(took.toMillis() < 25_000, took::toString);
    }
  }

  @Test
  void aShortCommandCanKeepTheLockForLonger() {
    assertEquals(0, run("kept", "--at-least", "1m", "--", "true").exitCode());
    assertEquals(75, run("kept", "-n", "--", "true").exitCode());
  }

  @Test
  void whatCannotStartTakesNoLock() throws IOException {
    Path script = Files.writeString(folder.resolve("script"), "exit 0");
    assertFailure(127, "command 'no-such-command' is not found", run("x", "--", "no-such-command"));
    assertFailure(127, "is not found", run("x", "--", folder + "/missing"));
    assertFailure(126, "cannot be executed", run("x", "--", script.toString()));
    assertFailure(126, "cannot be executed", run("x", "--", folder.toString()));
    assertFalse(other.getLock("x").isLocked());
  }

  private static void assertFailure(int code, String message, Invocation failed) {
    assertEquals(code, failed.exitCode(), failed.all());
    assertTrue(failed.err().contains(message), failed.err());
    assertEquals(1, failed.err().lines().count(), failed.err());
  }

  @Test
  void itsOwnExitCodesAreFarFromThoseOfCommands() {
    redis.command("SET", "mortise:lock:{foreign}", "x");
    assertEquals(65, run("foreign", "--", "true").exitCode());
    redis.command("DEL", "mortise:lock:{foreign}");
    assertEquals(
        69, Invocation.of("run", "--uri", "redis://127.0.0.1:1", "x", "--", "true").exitCode());
    for (String arguments :
        List.of(
            "x",
            "x -n -w 1s -- true",
            "x -E 300 -- true",
            "x --lease 10ms -- true",
            "x --lease 999999999h -- true",
            "x --at-least 999999999h -- true",
            "x -w 999999999h -- true",
            "x --kind odd -- true",
            "x --permits 3 -- true",
            "x --permits 1/3 --kind fair -- true",
            "x --nonsense -- true")) {
      assertEquals(
          64,
          run(
                  arguments.split(" ", -1)[0],
                  List.of(arguments.split(" ", -1)).stream().skip(1).toArray(String[]::new))
              .exitCode());
    }
    Invocation dashes = run("x", "ls", "-l");
    assertEquals(64, dashes.exitCode());
    assertTrue(dashes.err().contains("Put -- before the command"), dashes.err());
  }
}
