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

/** The cost of a lock that the thread already holds. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class NestedLock {
  /** The contestant to measure. */
  @Param({"MORTISE_JEDIS", "REDISSON", "SPRING_PUBSUB", "JDK"})
  public Contestant contestant;

  private Stage stage;
  private Lock lock;
  private boolean held;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    lock = stage.lock("nested");
    stage.warmUp(1, this::holdAndPair);
  }

  /** One pair, nested in a hold of the measuring thread. */
  @Benchmark
  public void pair() {
    if (!held) {
      lock.lock();
      held = true;
    }
    lock.lock();
    lock.unlock();
  }

  /** One pair nested in a hold, because a warm-up thread must not keep the lock. */
  private void holdAndPair() {
    lock.lock();
    for (int i = 0; i < 100; i++) {
      lock.lock();
      lock.unlock();
    }
    lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
