package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One thread locks a name that was never locked before, each time another one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class NewNames {
  /** The contestant to measure. */
  @Param({
    "MORTISE_JEDIS",
    "MORTISE_LETTUCE",
    "MORTISE_JEDIS_RETAINING",
    "MORTISE_LETTUCE_RETAINING",
    "BARE_JEDIS",
    "BARE_LETTUCE"
  })
  public Contestant contestant;

  private final AtomicLong number = new AtomicLong();
  private Stage stage;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    stage.warmUp(1, this::pair);
  }

  /** One pair. */
  @Benchmark
  public void pair() {
    Lock lock = stage.lock("new-" + number.incrementAndGet());
    lock.lock();
    lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
