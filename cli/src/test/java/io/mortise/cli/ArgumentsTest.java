package io.mortise.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArgumentsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          --workers 0 | --workers is 0; it must be 1 to 1000
          --workers 1001 | --workers is 1001; it must be 1 to 1000
          --workers many | 'many' is not an int
          --workers | Missing required parameter for option '--workers'
          --processes 33 | --processes is 33; it must be 1 to 32
          --seconds -1 | --seconds is -1; it must be 1 to 3600
          --seconds 3601 | --seconds is 3601; it must be 1 to 3600
          --retain -1 | --retain is -1; it must be 0 to 3000
          --retain 3001 | --retain is 3001; it must be 0 to 3000
          --retain long | 'long' is not an int
          --uri localhost | the URI has no scheme
          --uri localhost:26000 | 'localhost:26000' has no scheme; write redis://localhost:26000
          --uri red\u00a0is://x | the URI is malformed at character 3
          --uri redis: | the URI is malformed at character 6
          --uri redis:///0 | the URI must read redis[s]://[[user]:password@]host[:port][/database]
          --uri redis://host:99999 | the URI must read redis[s]://[[user]:password@]host[:port][/database]
          --uri memory:a?b | does not name a store in memory
          --uri redis-sentinel://host | the URI names no master; add the name by which the sentinels know it, as in redis-sentinel://host:26379#mymaster
          --uri mysql://host | no backend serves 'mysql:'; they serve memory:, redis:, redis-cluster:, redis-sentinel:, rediss:, rediss-cluster:, rediss-sentinel:, valkey:, valkey-cluster:
          --kind rwlock | --kind rwlock is not known; use plain, fair, fenced, write, multi, red
          --kind PLAIN | --kind PLAIN is not known; use plain, fair, fenced, write, multi, red
          --backend jedis | --backend jedis does not serve 'memory:'; give --uri redis://HOST:PORT
          --backend both | --backend both does not serve 'memory:'
          --uri redis://host --backend memory | --backend memory does not serve 'redis:'; use jedis, lettuce or both
          --uri redis://host --backend redisson | --backend redisson does not serve 'redis:'; use jedis, lettuce or both
          --uri redis://host --backend both | --backend both needs --processes 2 or more
          --processes 2 | a store in memory is inside one process
          --backend memory --processes 2 | a store in memory is inside one process
          --worker=2 | did you mean --workers?
          twice | Unmatched argument at index 1: 'twice'
          """)
  void aBadArgumentIsExplainedInOneLineAndAHint(String arguments, String message) {
    Invocation demo = Invocation.of(("demo " + arguments).split(" ", -1));
    assertAll(
        () -> assertEquals(2, demo.exitCode()),
        () -> assertTrue(demo.err().contains(message), demo.err()),
        () -> assertTrue(demo.err().startsWith("mortise: "), demo.err()),
        () -> assertEquals("Try 'mortise demo --help'.", demo.err().lines().toList().get(1)),
        () -> assertEquals(2, demo.err().lines().count(), demo.err()),
        () -> assertEquals("", demo.out()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo redis://joe:s3cret@host",
        "demo --url=redis://joe:s3cret@host",
        "demo --url redis://joe:s3cret@host",
        "redis://joe:s3cret@host",
        "demo --uri redis-sentinel://joe:s3cret@host",
        "demo --uri redis:joe:s3cret@host",
        "demo --uri redis://joe:s3cret@@host",
        "demo --uri redis://joe:s3cret%@host",
        "demo --uri redis://joe:s3cret/@host",
        "demo --uri redis://joe:s3cret?@host",
        "demo --uri redis://joe:s3cret#@host",
        "demo --uri redis://joe:1/s3cret@host",
        "demo --uri redis://joe:1?s3cret@host",
        "demo --uri redis://joe:1#s3cret@host",
        "demo --uri redis://joe:s3cret@host:0x",
        "demo --uri redis://joe:s3cret@127.0.0.1:1",
        "demo --uri redis://joe:s3cret@127.0.0.1:1 --backend lettuce",
        "demo --uri redis://joe:s3cret@127.0.0.1:1 --backend jedis --stacktrace",
        "demo --uri redis://joe:s3cret@127.0.0.1:1 --backend lettuce --stacktrace",
      })
  void aPasswordIsNeverShown(String arguments) {
    Invocation run = Invocation.of(arguments.split(" ", -1));
    assertTrue(run.exitCode() == 2 || run.exitCode() == 3, run.all());
    assertFalse(run.all().contains("s3cret"), run.all());
  }

  @Test
  void aPasswordWithBlanksIsNotShownEither() {
    Invocation run = Invocation.of("demo", "redis://joe:s3cret one@host");
    assertEquals(2, run.exitCode());
    assertFalse(run.all().contains("s3cret"), run.all());
  }

  @ParameterizedTest
  @ValueSource(strings = {"jedis", "lettuce"})
  void aServerOutOfReachIsOneLineAndItsOwnExitCode(String backend) {
    Invocation run = Invocation.of("demo", "--uri", "redis://127.0.0.1:1", "--backend", backend);
    assertEquals(3, run.exitCode(), run.all());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("redis://127.0.0.1:1"), run.err());
    assertEquals("", run.out());
  }

  @Test
  void helpIsColouredOnlyWhereThatIsWanted() {
    assertFalse(Invocation.of("demo", "--help").all().contains("\033["));
    assertFalse(Invocation.onTerminal(80, "--help").all().contains("\033["));
    assertFalse(Invocation.onTerminal(80).all().contains("\033["), "the usage after no command");
    assertTrue(Invocation.inColour("demo", "--help").all().contains("\033["));
  }

  @Test
  void providersFitInEightyColumnsButForTheirPaths() {
    Invocation run = Invocation.of("providers");
    List<String> lines = run.out().lines().toList();
    assertTrue(
        lines.stream().filter(line -> !line.contains(" from ")).allMatch(l -> l.length() <= 80),
        run.out());
    assertEquals(3, lines.stream().filter(line -> line.contains(" from ")).count(), run.out());
  }

  @Test
  void stacktraceShowsWhereAnErrorCameFrom() {
    Invocation run = Invocation.of("demo", "--stacktrace", "--uri", "redis://127.0.0.1:1");
    assertEquals(3, run.exitCode());
    assertTrue(run.err().contains("\tat io.mortise.cli."), run.err());
  }

  @Test
  void aMistypedCommandIsCorrected() {
    Invocation run = Invocation.of("dmo");
    assertEquals(2, run.exitCode());
    assertTrue(run.err().contains("did you mean demo?"), run.err());
  }

  @Test
  void noCommandShowsTheUsage() {
    Invocation run = Invocation.of();
    assertEquals(2, run.exitCode());
    assertTrue(run.err().startsWith("Usage: mortise"), run.err());
  }

  @Test
  void helpNamesEveryOptionAndNoInnerCommand() {
    String main = Invocation.of("--help").out();
    assertTrue(main.contains("demo") && main.contains("providers"), main);
    assertFalse(main.contains(DemoProcess.NAME), main);
    String demo = Invocation.of("demo", "--help").out();
    for (String option :
        new String[] {
          "--uri", "--backend", "--kind", "--retain", "--processes", "--workers", "--seconds"
        }) {
      assertTrue(demo.contains(option), demo);
    }
  }

  @Test
  void providersListsAllThree() {
    Invocation run = Invocation.of("providers");
    assertEquals(0, run.exitCode());
    for (String name : new String[] {"jedis ", "lettuce ", "memory "}) {
      assertTrue(run.out().lines().anyMatch(line -> line.startsWith(name)), run.out());
    }
  }

  @Test
  void versionIsOneLine() {
    Invocation run = Invocation.of("--version");
    assertEquals(0, run.exitCode());
    assertTrue(run.out().startsWith("mortise "), run.out());
    assertEquals(1, run.out().lines().count());
  }
}
