package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

/** Sixteen threads of one process, each with a lock of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(16)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class ManyLocks {
  /** The contestant to measure. */
  @Param({
    "MORTISE_JEDIS",
    "MORTISE_LETTUCE",
    "MORTISE_MEMORY",
    "REDISSON",
    "SPRING_SPIN",
    "SPRING_PUBSUB",
    "BARE_JEDIS",
    "BARE_LETTUCE"
  })
  public Contestant contestant;

  private Stage stage;
  private final AtomicInteger number = new AtomicInteger();

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    stage.warmUp(
        16,
        () -> {
          Lock own = stage.lock("own-" + Thread.currentThread().getName());
          own.lock();
          own.unlock();
        });
  }

  /** A thread's lock. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the fields
  public static class Own {
    private Lock lock;

    /** Creates the lock of a new name. */
    @Setup
    public void open(ManyLocks all) {
      lock = all.stage.lock("own-" + all.number.incrementAndGet());
    }
  }

  /** One pair. */
  @Benchmark
  public void pair(Own own) {
    own.lock.lock();
    own.lock.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
