package io.mortise.jmh.rival;

import io.mortise.LockService;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;

/** Runs every case on every party, prints the progress, and writes the report. */
public final class RivalsMain {
  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final String LEVEL = "org.slf4j.simpleLogger.defaultLogLevel";

  private final List<Contestant> parties = List.of(Contestant.REDISSON, Contestant.MORTISE_JEDIS);

  private RivalsMain() {}

  /**
   * Runs the comparison.
   *
   * @param arguments the file for the report; without one, {@code docs/rivals.md}
   * @throws Exception the report could not be written
   */
  public static void main(String[] arguments) throws Exception {
    // The libraries log the faults of the cases, which are not of interest here.
    System.setProperty(LEVEL, System.getProperty(LEVEL, "off"));
    Locale.setDefault(Locale.ROOT);
    Path file = Path.of(arguments.length > 0 ? arguments[0] : "docs/rivals.md");
    // Fails now if the file is not writable.
    Files.writeString(file, "", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    boolean complete = new RivalsMain().run(file);
    System.exit(complete ? 0 : 1); // ends all threads that a case has left
  }

  private boolean run(Path file) throws InterruptedException, IOException {
    List<Case> faults =
        Stream.of(
                InterruptCases.all(),
                LeaseCases.all(),
                RenewalCases.all(),
                WakingCases.all(),
                OutageCases.all())
            .flatMap(List::stream)
            .toList();
    List<Case> cases = Stream.concat(faults.stream(), CostCases.all().stream()).toList();
    RivalsPage report = new RivalsPage(parties.stream().map(RivalsMain::name).toList());
    for (int i = 0; i < cases.size(); i++) {
      if (i == faults.size()) {
        report.costs();
      }
      System.err.printf("case %d of %d: %s%n", i + 1, cases.size(), cases.get(i).sentence());
      report.add(cases.get(i), findings(cases.get(i)));
    }
    Files.writeString(file, report.text(LocalDate.now(ZoneOffset.UTC).toString(), versions()));
    report.summary().forEach(System.out::println);
    System.out.println("written: " + file);
    return report.isComplete();
  }

  private List<Finding> findings(Case each) throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    for (Contestant party : parties) {
      long start = System.nanoTime();
      Finding finding = finding(each, party);
      double seconds = (System.nanoTime() - start) / 1e9;
      System.err.printf("  %s: %s (%.0f s)%n", name(party), finding.marked(), seconds);
      findings.add(finding);
    }
    return findings;
  }

  /**
   * Runs the case on a thread of its own, so that its thread-bound state does not reach the next
   * case.
   */
  private static Finding finding(Case each, Contestant party) throws InterruptedException {
    AtomicReference<@Nullable Finding> result = new AtomicReference<>();
    Call call =
        Call.start(() -> {
          try (CaseSetup stage = new CaseSetup(party)) {
            result.set(each.trial().run(stage));
          }
        });
    boolean ended = call.endsWithin(LONGEST);
    Finding finding = result.get();
    return finding != null
        ? finding
        : Finding.unknown(ended ? String.valueOf(call.failure()) : "not within " + LONGEST);
  }

  /** Name and version. */
  private static String name(Contestant party) {
    boolean redisson = party == Contestant.REDISSON;
    Class<?> library = redisson ? Redisson.class : LockService.class;
    String version = library.getPackage().getImplementationVersion();
    return (redisson ? "Redisson " : "Mortise ") + version;
  }

  private static String versions() {
    String redis = "unknown";
    try (RedisServer server = RedisServer.start()) {
      Matcher version =
          Pattern.compile("redis_version:(\\S+)")
              .matcher(String.valueOf(server.command("INFO", "server")));
      redis = version.find() ? version.group(1) : redis;
    }
    return "Redis %s, JDK %s, %d processors"
        .formatted(redis, Runtime.version(), Runtime.getRuntime().availableProcessors());
  }
}
