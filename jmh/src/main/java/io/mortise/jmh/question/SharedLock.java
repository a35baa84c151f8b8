package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Threads;

/** Eight threads of one process want one lock, and work while they hold it. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(8)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class SharedLock {
  /** The contestant to measure. */
  @Param({
    "MORTISE_JEDIS",
    "MORTISE_LETTUCE",
    "MORTISE_MEMORY",
    "REDISSON",
    "SPRING_SPIN",
    "SPRING_PUBSUB",
    "JDK"
  })
  public Contestant contestant;

  /** The work under the lock, in microseconds. */
  @Param({"0", "20", "200", "2000"})
  public int work;

  private Stage stage;
  private Lock lock;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    lock = stage.lock("shared");
    stage.warmUp(8, this::pair);
  }

  /** One pair. */
  @Benchmark
  public void pair() {
    lock.lock();
    Stage.work(work);
    lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
