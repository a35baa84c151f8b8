package io.mortise.jmh.question;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A contestant and its server: the bench's server, or its own if JMH runs by hand. */
public final class Stage implements AutoCloseable {
  /** The system property with the URI of the bench's server. */
  public static final String SERVER = "mortise.bench.redis";

  /** The system property with the least number of seconds of a warm-up. */
  public static final String WARM_UP = "mortise.bench.warmup";

  /** The system property with the path of the file for the result of the warm-up. */
  public static final String WARMED = "mortise.bench.warmed";

  /** The measured step. */
  interface Pair {
    void run() throws Exception;
  }

  private final @Nullable RedisServer own;
  private final Site site;

  private Stage(@Nullable RedisServer own, Site site) {
    this.own = own;
    this.site = site;
  }

  static Stage open(Contestant contestant) {
    String given = System.getProperty(SERVER);
    if (given != null) {
      return new Stage(null, contestant.open(URI.create(given)));
    }
    RedisServer server = RedisServer.start();
    return new Stage(server, contestant.open(server.uri()));
  }

  /** On a store that the question has started itself. */
  static Stage open(Contestant contestant, URI store) {
    return new Stage(null, contestant.open(store));
  }

  Lock lock(String name) {
    return site.lock(name);
  }

  Lock fairLock(String name) {
    return site.fairLock(name);
  }

  Lock readLock(String name) {
    return site.readLock(name);
  }

  Site.Semaphore semaphore(String name, int permits) {
    return site.semaphore(name, permits);
  }

  CompletionStage<?> claim(String name) {
    return site.claim(name);
  }

  /**
   * Repeats the measured step on separate threads until its speed is steady. JMH's own warm-up
   * follows. It has a fixed length and compiles JMH's loop. If JMH runs by hand, there is only
   * JMH's own warm-up.
   */
  void warmUp(int threads, Pair pair) throws Exception {
    Integer least = Integer.getInteger(WARM_UP);
    if (least == null) {
      return;
    }
    Steadiness steadiness = new Steadiness(Duration.ofSeconds(least));
    Runners runners = new Runners(threads, pair);
    try {
      long before = 0;
      boolean over = false;
      while (!over) {
        Thread.sleep(1_000);
        long now = runners.pairs.sum();
        over = steadiness.add((double) (now - before));
        before = now;
      }
    } finally {
      runners.end();
    }
    String file = System.getProperty(WARMED);
    if (file != null) {
      Files.writeString(Path.of(file), steadiness.toString());
    }
  }

  /** Threads that repeat the step. */
  private static final class Runners {
    private final LongAdder pairs = new LongAdder();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    Runners(int count, Pair pair) {
      for (int i = 0; i < count; i++) {
        Thread thread = new Thread(() -> run(pair), "warm-up-" + i);
        threads.add(thread);
        thread.start();
      }
    }

    private void run(Pair pair) {
      try {
        while (!ended) {
          pair.run();
          pairs.increment();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    void end() throws InterruptedException {
      ended = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  /** Keeps the processor busy, as the work under a lock does. */
  public static void work(int micros) {
    if (micros > 0) {
      long end = System.nanoTime() + micros * 1_000L;
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
    }
  }

  @Override
  public void close() {
    site.close();
    if (own != null) {
      own.close();
    }
  }
}
