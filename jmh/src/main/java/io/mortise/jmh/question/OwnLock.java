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

/** The cost of a lock without contention: lock and unlock by one thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class OwnLock {
  /** The contestant to measure. */
  @Param({
    "MORTISE_JEDIS",
    "MORTISE_LETTUCE",
    "MORTISE_JEDIS_RETAINING",
    "MORTISE_LETTUCE_RETAINING",
    "MORTISE_MEMORY",
    "REDISSON",
    "SPRING_SPIN",
    "SPRING_PUBSUB",
    "BARE_JEDIS",
    "BARE_LETTUCE"
  })
  public Contestant contestant;

  private Stage stage;
  private Lock lock;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    lock = stage.lock("own");
    stage.warmUp(1, this::pair);
  }

  /** One pair. */
  @Benchmark
  public void pair() {
    lock.lock();
    lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
