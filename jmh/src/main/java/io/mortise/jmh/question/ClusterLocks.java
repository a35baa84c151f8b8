package io.mortise.jmh.question;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.jmh.contestant.Contestant;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
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

/** Sixteen threads of one process, each with 62 locks of its own, on a cluster of three masters. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(16)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class ClusterLocks {
  private static final int NAMES_PER_THREAD = 62;

  /** The contestant to measure. */
  @Param({"MORTISE_JEDIS", "MORTISE_LETTUCE", "REDISSON", "BARE_JEDIS", "BARE_LETTUCE"})
  public Contestant contestant;

  private RedisCluster cluster;
  private Stage stage;
  private final AtomicInteger number = new AtomicInteger();

  /** Starts the cluster, and opens the contestant. */
  @Setup
  public void open() throws Exception {
    cluster = RedisCluster.start(Duration.ofSeconds(15));
    stage = Stage.open(contestant, cluster.uri());
    ThreadLocal<Own> owns = ThreadLocal.withInitial(() -> new Own(this));
    stage.warmUp(
        16,
        () -> {
          Lock next = owns.get().next();
          next.lock();
          next.unlock();
        });
  }

  /** A thread's locks, which it uses in turn. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the fields
  public static class Own {
    private Lock[] locks;
    private int turn;

    /** For JMH. */
    public Own() {}

    private Own(ClusterLocks all) {
      open(all);
    }

    /** Creates the locks of new names. */
    @Setup
    public void open(ClusterLocks all) {
      locks =
          IntStream.range(0, NAMES_PER_THREAD)
              .mapToObj(i -> all.stage.lock("own-" + all.number.incrementAndGet()))
              .toArray(Lock[]::new);
    }

    private Lock next() {
      turn = (turn + 1) % locks.length;
      return locks[turn];
    }
  }

  /** One pair. */
  @Benchmark
  public void pair(Own own) {
    Lock next = own.next();
    next.lock();
    next.unlock();
  }

  /** Closes the contestant and the cluster. */
  @TearDown
  public void close() {
    stage.close();
    cluster.close();
  }
}
