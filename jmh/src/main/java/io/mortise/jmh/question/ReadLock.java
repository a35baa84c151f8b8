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

/** Readers of one process share one read lock, without writers. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class ReadLock {
  /** The contestant to measure. */
  @Param({"MORTISE_JEDIS", "MORTISE_LETTUCE", "REDISSON", "BARE_JEDIS", "BARE_LETTUCE"})
  public Contestant contestant;

  /** The number of readers. If JMH runs by hand, set {@code -t} as well. */
  @Param({"1", "16"})
  public int threads;

  private Stage stage;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    stage.warmUp(
        threads,
        () -> {
          Lock own = stage.readLock("read");
          own.lock();
          own.unlock();
        });
  }

  /** A thread's handle. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the fields
  public static class Reader {
    private Lock lock;

    /** Creates the handle. */
    @Setup
    public void open(ReadLock all) {
      lock = all.stage.readLock("read");
    }
  }

  /** One pair. */
  @Benchmark
  public void pair(Reader reader) {
    reader.lock.lock();
    reader.lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
