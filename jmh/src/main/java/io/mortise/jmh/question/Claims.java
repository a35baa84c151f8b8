package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;

/**
 * Eight requests of one process for one lock are outstanding. No thread holds the lock. A thread
 * waits for each request, and makes the next.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(8)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class Claims {
  /** The contestant to measure. */
  @Param({"MORTISE_JEDIS", "MORTISE_LETTUCE", "REDISSON"})
  public Contestant contestant;

  private Stage stage;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    stage.warmUp(8, this::pair);
  }

  /** One lease, acquired and released. */
  @Benchmark
  public void pair() throws Exception {
    Object unused = stage.claim("claims").toCompletableFuture().get();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
