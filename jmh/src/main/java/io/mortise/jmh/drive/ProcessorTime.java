package io.mortise.jmh.drive;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
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
 * The processor time of a pair, over all threads of the client's process: what a busy machine
 * hardly changes. Made by JMH.
 */
public final class ProcessorTime implements InternalProfiler {
  /** The figure's name. */
  public static final String MICROS = "cpu.norm";

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private long before;

  /** For JMH. */
  public ProcessorTime() {}

  @Override
  public String getDescription() {
    return "processor time per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = system.getProcessCpuTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double micros = (system.getProcessCpuTime() - before) / 1e3;
    long operations = result.getMetadata().getAllOps();
    return List.of(new ScalarResult(MICROS, micros / operations, "us/op", AggregationPolicy.AVG));
  }
}
