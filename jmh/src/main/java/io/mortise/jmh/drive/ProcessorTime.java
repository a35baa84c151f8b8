package io.mortise.jmh.drive;

import com.sun.management.OperatingSystemMXBean;
import io.mortise.jmh.question.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The processor time of a pair: that of all threads of the client's process, and that with the
 * server's. A busy machine hardly changes it. JMH creates this class.
 */
public final class ProcessorTime implements InternalProfiler {
  /** The name of the client's figure. */
  public static final String MICROS = "cpu.norm";

  /**
   * The name of the figure of client and server. If both share a processor, it is the reciprocal of
   * their speed, without the time that other programs took on that processor.
   */
  public static final String ALL_MICROS = "cpu.all.norm";

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private double clientBefore;
  private double serverBefore;

  /** Called by JMH. */
  public ProcessorTime() {}

  @Override
  public String getDescription() {
    return "processor time per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    serverBefore = server();
    clientBefore = client();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double client = client() - clientBefore;
    double server = server() - serverBefore;
    long operations = result.getMetadata().getAllOps();
    return List.of(
        figure(MICROS, client / operations), figure(ALL_MICROS, (client + server) / operations));
  }

  private static Result<?> figure(String name, double micros) {
    return new ScalarResult(name, micros, "us/op", AggregationPolicy.AVG);
  }

  private double client() {
    return system.getProcessCpuTime() / 1e3;
  }

  /** The processor time of the bench's server. It is unknown if JMH runs by hand. */
  private static double server() {
    String uri = System.getProperty(Stage.SERVER);
    if (uri == null) {
      return Double.NaN;
    }
    try (ServerFigures figures = new ServerFigures(URI.create(uri))) {
      return figures.processorMicros();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
