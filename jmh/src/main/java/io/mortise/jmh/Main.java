package io.mortise.jmh;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Pin;
import io.mortise.jmh.report.Page;
import io.mortise.jmh.report.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code mortise bench}. */
@Command(
    name = "mortise bench",
    mixinStandardHelpOptions = true,
    description = "Measures Mortise and its rivals, and writes docs/performance.md.")
public final class Main implements Callable<Integer> {
  private static final String LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";
  private static final String REDISSON_LEVEL = "org.slf4j.simpleLogger.log.org.redisson.Redisson";

  @Option(
      names = "--quick",
      description = "One short round of the most important questions: 11 minutes.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of a full run; questions without a target take fewer. Default: 3.")
  private int rounds = 3;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "QUESTION",
      description =
          "Only these questions, such as OwnLock. Prints the table, and writes a page only with --to.")
  private List<String> only = List.of();

  @Option(
      names = "--to",
      paramLabel = "FOLDER",
      description = "Folder for performance.md and performance/. Default: docs.")
  private @Nullable Path folder;

  @Option(
      names = "--results",
      paramLabel = "FOLDER",
      description =
          "Folder for the raw results. A run that was cut continues here. Default: a new folder.")
  private @Nullable Path results;

  private Main() {}

  /**
   * Runs the command.
   *
   * @param arguments see {@code --help}
   */
  public static void main(String[] arguments) {
    System.setProperty(LEVEL, System.getProperty(LEVEL, "error"));
    System.setProperty(REDISSON_LEVEL, "off"); // it warns at each Redlock that it is deprecated
    System.setProperty("java.awt.headless", "true");
    System.setProperty("jmh.ignoreLock", "true");
    Runtime.getRuntime().addShutdownHook(new Thread(Main::endWorkers));
    System.exit(new CommandLine(new Main()).execute(arguments)); // ends all threads that are left
  }

  /** A bench that is ended leaves no JVM that goes on to measure. */
  private static void endWorkers() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroy);
  }

  @Override
  public Integer call() throws Exception {
    Plan plan = new Plan();
    Path raw =
        results == null
            ? Files.createTempDirectory("mortise-bench")
            : Files.createDirectories(results);
    try (RedisServer server = RedisServer.start()) {
      Effort effort = quick ? Effort.quick(server.uri()) : Effort.full(server.uri(), rounds);
      Pin pin = Pin.of(server.pid(), ProcessHandle.current().pid());
      Run run = new Run(plan.questions(only), effort, pin, raw);
      boolean complete = run.all();
      long minutes = Math.round(run.seconds() / 60);
      write(plan, raw, Machine.describe(server, effort, pin, minutes));
      return complete ? 0 : 1;
    }
  }

  private void write(Plan plan, Path raw, List<String> run) throws IOException {
    Page page =
        new Page(Results.read(raw), plan.headlines(), plan.rows(), plan.topics(), plan.curves());
    if (folder != null || only.isEmpty()) {
      Path target = folder == null ? Path.of("docs") : folder;
      page.write(target, run);
      System.out.println("written: " + target.resolve("performance.md"));
    }
    page.measured().forEach(System.out::println);
    System.out.println("results: " + raw);
  }
}
