package io.mortise.conformance.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mortise.conformance.BackendUnderTest;
import io.mortise.conformance.Figures;
import io.mortise.conformance.Rule;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.spi.Topology;
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
 * <p>It takes a minute, or less on a cluster or a sentinel set. {@code -Dmortise.soak=600} sets the
 * seconds with faults, {@code -Dmortise.seed=…} repeats a plan. The report is in {@code
 * target/mortise-outside-<seed>.txt}, and the logs are beside it if there was a violation. Clocks
 * are moved where there is a C compiler.
 */
public abstract class OutsideConformance implements BackendUnderTest {
  private static final List<String> CONTROLS = List.of("unguarded", "overstayed");
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

  /**
   * The main store of the workers. A cluster or a sentinel set has masters with replicas that take
   * over, and no Redlock, no lock shared with Redisson and no starts on grants. There the second
   * worker of each backend waits for all replicas.
   *
   * @return a single server by default
   */
  protected Topology topology() {
    return Topology.SINGLE;
  }

  private String place() {
    return topology() == Topology.SINGLE ? "" : topology().name().toLowerCase(Locale.ROOT) + '-';
  }

  private long seconds() {
    return Long.getLong("mortise.soak", 20);
  }

  @Override
  public String backendName() {
    return String.join("-and-", providers()) + '-' + place() + "from-outside";
  }

  @Test
  @Rule({
    "L1", "L5", "L8", "L9", "L10", "L13", "L14", "L15", "L16", "RW1", "S1", "B2", "B23", "L22"
  })
  void whatTheWorkersBelieveThroughAllFaultsIsTrue(Figures figures) throws Exception {
    assumeTrue(
        System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux"),
        "System.nanoTime is known to be the same for all processes on Linux only");
    assumeTrue(
        !"testcontainers".equals(System.getProperty("mortise.redis")),
        "a container can be neither restarted with its data nor given another clock");
    Path folder = Path.of("target", "mortise-outside-" + place() + SEED);
    delete(folder);

    Verdict verdict = new Run(folder, SEED, seconds(), providers(), topology()).judge();

    List<String> report = report(verdict);
    Files.write(Path.of("target", "mortise-outside-" + place() + SEED + ".txt"), report);
    tell(figures, verdict);
    String text = String.join("\n", report) + "\nlogs: " + folder.toAbsolutePath();
    for (String control : CONTROLS) {
      assertFalse(verdict.at(List.of(control)).isEmpty(), () -> control + " not found\n" + text);
    }
    assertEquals(List.of(), verdict.notAt(CONTROLS), text);
    delete(folder);
  }

  private List<String> report(Verdict verdict) {
    String clock =
        topology() == Topology.SINGLE && RedisServer.canHaveMovableClock() ? "moved" : "not moved";
    return Stream.concat(
            Stream.of("-Dmortise.seed=" + SEED + " -Dmortise.soak=" + seconds(), "clock: " + clock),
            verdict.report().stream())
        .toList();
  }

  private void tell(Figures figures, Verdict verdict) {
    String what = "from outside, " + place().replace("-", ", ");
    figures.add(what + "seed", Long.toString(SEED));
    figures.add(what + "seconds of faults", Long.toString(seconds()));
    figures.add(what + "attempts", Integer.toString(verdict.history().stays().size()));
    figures.add(what + "faults", verdict.faults().replace(':', ' '));
    figures.add(what + "longest gap", verdict.longestGap());
    figures.add(what + "overlaps", Long.toString(verdict.overlaps(CONTROLS)));
    figures.add(what + "commands", verdict.calls());
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
