package io.mortise.conformance.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Black-box tests of locks. Processes on several backends use all kinds of locks on real servers,
 * while servers, links and processes fail. A checker that knows only their logs must find no
 * violation. In the same run it must find violations in two controls: one without a lock, and one
 * that ignores the end of its lease.
 *
 * <pre>{@code
 * class FromOutsideTest extends OutsideConformance {
 *   @Override protected List<String> providers() { return List.of("jedis", "lettuce"); }
 * }
 * }</pre>
 *
 * <p>It takes a minute. {@code -Dmortise.soak=600} sets the seconds with faults, {@code
 * -Dmortise.seed=…} repeats a plan. The report is in {@code target/mortise-outside-<seed>.txt}, and
 * the logs are beside it if there was a violation. Clocks are moved where there is a C compiler.
 */
public abstract class OutsideConformance implements BackendUnderTest {
  private static final long SECONDS = Long.getLong("mortise.soak", 40);
  private static final long SEED = Long.getLong("mortise.seed", System.nanoTime() & 0xFFFFFF);

  /** For the subclass that supplies the backends. */
  protected OutsideConformance() {}

  /**
   * The backends of the workers, on the class path. Each has two workers, and one of the two starts
   * on grants.
   *
   * @return names of providers, one or more
   */
  protected abstract List<String> providers();

  @Override
  public String backendName() {
    return String.join("-and-", providers()) + "-from-outside";
  }

  @Test
  @Rule({"L1", "L5", "L8", "L9", "L10", "L13", "L14", "L15", "L16", "RW1", "S1"})
  void whatTheWorkersBelieveThroughAllFaultsIsTrue(Figures figures) throws Exception {
    assumeTrue(
        System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux"),
        "System.nanoTime is known to be the same for all processes on Linux only");
    assumeTrue(
        !"testcontainers".equals(System.getProperty("mortise.redis")),
        "a container can be neither restarted with its data nor given another clock");
    Path folder = Path.of("target", "mortise-outside-" + SEED);
    delete(folder);

    Verdict verdict = new Run(folder, SEED, SECONDS, providers()).judge();

    List<String> report = report(verdict);
    Files.write(Path.of("target", "mortise-outside-" + SEED + ".txt"), report);
    tell(figures, verdict);
    String text = String.join("\n", report) + "\nlogs: " + folder.toAbsolutePath();
    List<String> controls = List.of("unguarded", "overstayed");
    for (String control : controls) {
      assertFalse(verdict.at(List.of(control)).isEmpty(), () -> control + " not found\n" + text);
    }
    assertEquals(List.of(), verdict.notAt(controls), text);
    delete(folder);
  }

  private static List<String> report(Verdict verdict) {
    String clock = RedisServer.canHaveMovableClock() ? "moved" : "not moved, no C compiler";
    return Stream.concat(
            Stream.of("-Dmortise.seed=" + SEED + " -Dmortise.soak=" + SECONDS, "clock: " + clock),
            verdict.report().stream())
        .toList();
  }

  private static void tell(Figures figures, Verdict verdict) {
    figures.add("from outside, seed", Long.toString(SEED));
    figures.add("from outside, seconds of faults", Long.toString(SECONDS));
    figures.add("from outside, attempts", Integer.toString(verdict.history().stays().size()));
    figures.add("from outside, faults", verdict.faults().replace(':', ' '));
    figures.add("from outside, longest gap", verdict.longestGap());
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
