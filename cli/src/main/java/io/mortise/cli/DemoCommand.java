package io.mortise.cli;

import io.mortise.backend.support.RedisAddress;
import io.mortise.backend.support.cluster.ClusterAddress;
import io.mortise.backend.support.sentinel.SentinelAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the effect of a lock. */
@Command(
    name = "demo",
    description = {
      "Workers increment a counter that is not atomic: first without a lock, then with one.",
      ""
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  mortise demo",
      "  mortise demo --workers 16 --seconds 5",
      "  mortise demo --kind fair",
      "  mortise demo --uri redis://localhost --backend both --processes 4"
    })
final class DemoCommand implements Callable<Integer> {
  static final String URI_VARIABLE = "MORTISE_URI";

  private static final String MEMORY = "memory";
  private static final String BOTH = "both";

  /** The rest of {@code HOST:PORT}, where the host looks like a scheme. */
  private static final Pattern PORT = Pattern.compile("\\d{1,5}(/\\d{0,5})?");

  private static final String FORM =
      "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DB], redis-cluster://HOST:PORT, or"
          + " redis-sentinel://HOST:PORT#MASTER";

  @Option(
      names = "--uri",
      paramLabel = "URI",
      description =
          "Where the lock is: memory:NAME or "
              + FORM
              + ". While a master is replaced, workers try again. Default: the environment variable "
              + URI_VARIABLE
              + ", which keeps a password off the"
              + " command line; else memory:demo.")
  private @Nullable String uri;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description =
          "memory, jedis, lettuce, or both (jedis and lettuce in turn). Default: memory, or jedis"
              + " for a Redis URI.")
  private @Nullable String backend;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      defaultValue = "plain",
      description =
          "The lock that guards the counter: plain, fair, fenced, write (of a read/write lock), multi (three locks as one), or red (a majority of three)."
              + " Default: ${DEFAULT-VALUE}.")
  private String kind = "";

  @Option(
      names = "--retain",
      paramLabel = "MS",
      defaultValue = "0",
      description =
          "How long a process keeps a plain lock that none of its threads uses, unless another one"
              + " wants it: 0 to 3000 milliseconds. Default: ${DEFAULT-VALUE}.")
  private int retain;

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "1",
      description = "Processes, 1 to 32; more than one needs Redis. Default: ${DEFAULT-VALUE}.")
  private int processes;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "4",
      description = "Threads in each process, 1 to 1000. Default: ${DEFAULT-VALUE}.")
  private int workers;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "2",
      description = "Length of each of the two runs, 1 to 3600. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Mixin private Printer printer = new Printer();

  private final Streams streams;

  DemoCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() {
    DemoPlan plan = plan();
    Report report = run(plan);
    if (printer.json()) {
      Printer.printObjects(streams, List.of(report.object()));
    } else {
      List<String> lines = new ArrayList<>(report.lines());
      lines.add(0, "");
      Printer.print(streams, lines);
    }
    return report.isRight() ? 0 : Failure.UNEXPECTED;
  }

  private Report run(DemoPlan plan) {
    Progress progress = new Progress(printer.json() ? streams.silent() : streams);
    Thread interrupt = new Thread(progress::interrupt, "mortise-demo-interrupt");
    Runtime.getRuntime().addShutdownHook(interrupt);
    try (WorkerGroup crew = WorkerGroup.assemble(plan)) {
      if (!printer.json()) {
        Printer.print(streams, List.of(plan.toString()));
      }
      WorkerGroup.Run without = crew.run(Phase.WITHOUT, plan.duration(), progress);
      return new Report(plan, without, crew.run(Phase.WITH, plan.duration(), progress));
    } finally {
      forget(interrupt);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending and runs the hook.
    }
  }

  private DemoPlan plan() {
    requireRange("--processes", processes, 32);
    requireRange("--workers", workers, 1000);
    requireRange("--seconds", seconds, 3600);
    requireRange("--retain", retain, 0, Math.toIntExact(LocalParty.LEASE.toMillis() / 2));
    URI parsed = Backends.parse(StoreOptions.given(uri, "memory:demo"));
    List<String> chosen = choose(parsed, Backends.serving(parsed));
    requireForm(parsed, chosen);
    if (processes > 1 && chosen.contains(MEMORY)) {
      throw Failure.badArgument(
          "--processes %d needs Redis: a store in memory is inside one process; give --uri redis://HOST:PORT"
              .formatted(processes));
    }
    if (processes == 1 && chosen.size() > 1) {
      throw Failure.badArgument("--backend both needs --processes 2 or more");
    }
    List<String> backends =
        IntStream.range(0, processes).mapToObj(i -> chosen.get(i % chosen.size())).toList();
    return new DemoPlan(
        parsed,
        backends,
        DemoLock.named(kind),
        Duration.ofMillis(retain),
        workers,
        Duration.ofSeconds(seconds));
  }

  private static void requireRange(String option, int value, int most) {
    requireRange(option, value, 1, most);
  }

  private static void requireRange(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw Failure.badArgument(
          "%s is %d; it must be %d to %d".formatted(option, value, least, most));
    }
  }

  /** Checks the form before any process starts. The backend would check it too, but later. */
  private static void requireForm(URI parsed, List<String> chosen) {
    try {
      if (parsed.getScheme().endsWith("-cluster")) {
        ClusterAddress.of(parsed);
      } else if (parsed.getScheme().endsWith("-sentinel")) {
        SentinelAddress.of(parsed);
      } else if (!chosen.contains(MEMORY)) {
        RedisAddress.of(parsed);
      }
    } catch (IllegalArgumentException e) {
      throw new Failure(Failure.BAD_ARGUMENT, String.valueOf(e.getMessage()), e);
    }
  }

  private List<String> choose(URI parsed, List<String> serving) {
    String scheme = parsed.getScheme() + ':';
    if (serving.isEmpty() && PORT.matcher(parsed.getRawSchemeSpecificPart()).matches()) {
      throw Failure.badArgument("'%s' has no scheme; write redis://%s".formatted(parsed, parsed));
    }
    if (serving.isEmpty()) {
      throw Backends.notServed(parsed);
    }
    if (backend == null) {
      return serving.subList(0, 1);
    }
    if (backend.equals(BOTH) && serving.size() > 1) {
      return serving;
    }
    if (serving.contains(backend)) {
      return List.of(backend);
    }
    throw Failure.badArgument(
        "--backend %s does not serve '%s'; %s"
            .formatted(
                backend,
                scheme,
                serving.contains(MEMORY)
                    ? "give --uri redis://HOST:PORT, or --backend memory"
                    : "use " + String.join(", ", serving) + " or both"));
  }
}
