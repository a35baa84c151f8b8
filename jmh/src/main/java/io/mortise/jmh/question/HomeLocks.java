package io.mortise.jmh.question;

import io.mortise.jmh.contestant.Contestant;
import java.util.concurrent.ThreadLocalRandom;
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

/**
 * Sixteen threads of one process and a thousand names. A thread locks one of fifty names of its own
 * in nine of ten pairs, and any name in the tenth.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(16)
@SuppressWarnings("NullAway.Init") // JMH sets the fields
public class HomeLocks {
  private static final int NAMES = 1_000;
  private static final int THREADS = 16;
  private static final int HOME = 50;

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

  private final AtomicInteger number = new AtomicInteger();
  private Stage stage;

  /** Opens the contestant. */
  @Setup
  public void open() throws Exception {
    stage = Stage.open(contestant);
    ThreadLocal<Home> homes = ThreadLocal.withInitial(() -> new Home(this));
    stage.warmUp(THREADS, () -> pair(homes.get()));
  }

  /** A thread's locks. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH sets the fields
  public static class Home {
    private Lock[] locks;
    private int first;

    /** For JMH. */
    public Home() {}

    private Home(HomeLocks all) {
      open(all);
    }

    /** Creates a handle for each name. Bare locks have no waiters, so each thread has its own. */
    @Setup
    public void open(HomeLocks all) {
      int thread = all.number.getAndIncrement();
      String prefix = all.contestant.isBare() ? "bare-" + thread + '-' : "home-";
      first = thread % THREADS * HOME;
      locks =
          IntStream.range(0, NAMES).mapToObj(i -> all.stage.lock(prefix + i)).toArray(Lock[]::new);
    }

    private Lock next() {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      boolean home = random.nextInt(10) > 0;
      return locks[home ? first + random.nextInt(HOME) : random.nextInt(NAMES)];
    }
  }

  /** One pair. */
  @Benchmark
  public void pair(Home home) {
    Lock next = home.next();
    next.lock();
    next.unlock();
  }

  /** Closes the contestant. */
  @TearDown
  public void close() {
    stage.close();
  }
}
