package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
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

/** Eight threads of one process want the four permits of a semaphore, one at a time. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(8)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class Permits {
  private static final int PERMITS = 4;

  /** The contestant to measure. */
  @Param({"MORTISE_JEDIS", "MORTISE_LETTUCE", "REDISSON", "REDISSON_SEMAPHORE"})
  public Contestant contestant;

  private Stage stage;
  private Site.Semaphore semaphore;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    semaphore = stage.semaphore("permits", PERMITS);
    stage.warmUp(8, this::pair);
  }

  /** One permit, acquired and released. */
  @Benchmark
  public void pair() throws InterruptedException {
    semaphore.acquire().run();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
