package io.mortise.jmh.memory;

import io.lettuce.core.RedisClient;
import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.Machine;
import io.mortise.jmh.contestant.Contestant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import redis.clients.jedis.Jedis;

/** The command {@code mortise memory}. */
@Command(
    name = "mortise memory",
    mixinStandardHelpOptions = true,
    description = "Measures what locks and services cost in memory, and writes docs/memory.md.")
public final class MemoryMain implements Callable<Integer> {
  static final List<Contestant> CONTESTANTS =
      List.of(
          Contestant.MORTISE_JEDIS,
          Contestant.MORTISE_LETTUCE,
          Contestant.REDISSON,
          Contestant.MORTISE_MEMORY);

  @Option(
      names = "--quick",
      description = "One round with few objects. Writes a page only with --to.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of a full run; what takes minutes is in the first only. Default: 3.")
  private int rounds = 3;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "SUBJECT",
      description =
          "Only these: ${COMPLETION-CANDIDATES}. Prints the tables, and writes a page only with --to.")
  private List<Subject> only = List.of();

  @Option(names = "--to", paramLabel = "FILE", description = "The page. Default: docs/memory.md.")
  private @Nullable Path file;

  private final Findings findings = new Findings();

  private MemoryMain() {}

  /**
   * Runs the command.
   *
   * @param arguments see {@code --help}
   */
  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT);
    System.exit(new CommandLine(new MemoryMain()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path page = file != null || !only.isEmpty() || quick ? file : Path.of("docs/memory.md");
    boolean complete = true;
    long start = System.nanoTime();
    for (int round = 1; round <= (quick ? 1 : rounds); round++) {
      for (Subject subject : only.isEmpty() ? List.of(Subject.values()) : only) {
        if (!subject.isLarge() || round == 1) {
          complete &= measure(round, subject);
          if (page != null) { // now, so that a run that is ended early leaves its figures
            Files.writeString(page, tables().text(run(round, System.nanoTime() - start)));
          }
        }
      }
    }
    System.out.print(tables().tables());
    return complete ? 0 : 1;
  }

  private MemoryPage tables() {
    return new MemoryPage(findings, quick);
  }

  private boolean measure(int round, Subject subject) throws InterruptedException {
    boolean complete = true;
    for (Contestant contestant : CONTESTANTS) {
      System.err.printf("round %d, %s, %s%n", round, subject.title(), contestant.title());
      complete &= measure(subject, contestant);
    }
    return complete;
  }

  private boolean measure(Subject subject, Contestant contestant) throws InterruptedException {
    long start = System.nanoTime();
    try {
      findings.add(subject, contestant, new Trial(subject, contestant, quick).run());
    } catch (IOException | RuntimeException e) {
      System.err.println("    not measured: " + e);
      return false;
    }
    System.err.printf(
        "    heap so far: %s bytes (%.0f s)%n",
        findings.text(subject, contestant, Figure.HEAP), (System.nanoTime() - start) / 1e9);
    return true;
  }

  private Object[] run(int round, long nanos) throws IOException {
    return new Object[] {
      LocalDate.now(ZoneOffset.UTC).toString(),
      quick
          ? "a quick one, which is an impression and not a result"
          : "rounds: %d, and one of the last two tables".formatted(round),
      Math.round(nanos / 60e9),
      machine(),
      contestants(),
      Runtime.version(),
      String.join(" ", Trial.FLAGS)
    };
  }

  private static String machine() throws IOException {
    try (RedisServer server = RedisServer.start()) {
      return "%d processors (%s), Redis %s on the same machine"
          .formatted(
              Runtime.getRuntime().availableProcessors(),
              Machine.processor(),
              Machine.redis(server));
    }
  }

  private static String contestants() {
    return "Mortise %s; Jedis %s; Lettuce %s; Redisson %s"
        .formatted(
            Arrays.stream(
                    new Class<?>[] {
                      LockService.class, Jedis.class, RedisClient.class, Redisson.class
                    })
                .map(Machine::version)
                .toArray());
  }
}
