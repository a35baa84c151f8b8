package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import io.mortise.jmh.question.Stage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * One of several processes that want one lock. It reports its progress, and waits for an order
 * before each step.
 */
public final class Worker {
  static final String READY = "READY";
  static final String SECOND = "SECOND";
  static final String MEASURED = "MEASURED";
  static final String COUNTED = "COUNTED";

  /** The phase of a worker's threads. */
  private enum Phase {
    WARM_UP,
    MEASURE,
    COOL_DOWN,
    END
  }

  private final Site site;
  private final Load load;
  private final Baton baton;
  private final LongAdder pairs = new LongAdder();
  private volatile Phase phase = Phase.WARM_UP;

  private Worker(Site site, Load load, Baton baton) {
    this.site = site;
    this.load = load;
    this.baton = baton;
  }

  /**
   * Runs the worker; {@link ProcessQuestion} starts it.
   *
   * @param words contestant, server, load, time to measure, the file of the baton
   * @throws Exception the contestant failed
   */
  public static void main(String[] words) throws Exception {
    PrintStream out = System.out;
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Load load = Load.parse(words[2]);
    int pid = Math.toIntExact(ProcessHandle.current().pid());
    Baton baton = Baton.open(Path.of(words[4]), load.names(), pid);
    try (Site site = Contestant.valueOf(words[0]).open(URI.create(words[1]))) {
      Worker worker = new Worker(site, load, baton);
      out.println(READY);
      orders.readLine();
      List<Loop> loops = worker.start();
      worker.warmUp(out, orders);
      worker.phase = Phase.MEASURE;
      long start = System.nanoTime();
      Thread.sleep(Long.parseLong(words[3]));
      worker.phase = Phase.COOL_DOWN;
      double seconds = (System.nanoTime() - start) / 1e9;
      out.println(MEASURED);
      orders.readLine();
      worker.phase = Phase.END;
      out.println(COUNTED + ' ' + Count.of(loops, seconds));
    }
    System.exit(0); // ends all threads that a contestant has left
  }

  /** Reports the pairs of each second until the next order. */
  private void warmUp(PrintStream out, BufferedReader orders) throws Exception {
    long before = 0;
    while (!orders.ready()) {
      Thread.sleep(1_000);
      long now = pairs.sum();
      out.println(SECOND + ' ' + (now - before));
      before = now;
    }
    orders.readLine();
  }

  private List<Loop> start() {
    List<Loop> loops = new ArrayList<>();
    for (int i = 0; i < load.threads(); i++) {
      loops.add(new Loop("worker-" + i, locks(i)));
    }
    loops.forEach(Thread::start);
    return loops;
  }

  private List<Lock> locks(int thread) {
    return switch (load.kind()) {
      case PLAIN ->
          IntStream.range(0, load.names()).mapToObj(i -> site.lock("shared-" + i)).toList();
      case FAIR ->
          IntStream.range(0, load.names()).mapToObj(i -> site.fairLock("shared-" + i)).toList();
      case OWN -> List.of(site.lock("own-" + ProcessHandle.current().pid() + '-' + thread));
    };
  }

  /** A thread that locks and unlocks one of its locks again and again. */
  final class Loop extends Thread {
    private final Histogram waits = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
    private final List<Lock> locks;
    private long changes;

    Loop(String name, List<Lock> locks) {
      super(name);
      this.locks = locks;
      setDaemon(true);
    }

    @Override
    public void run() {
      for (Phase now = phase; now != Phase.END; now = phase) {
        int chosen = ThreadLocalRandom.current().nextInt(locks.size());
        Lock lock = locks.get(chosen);
        long start = System.nanoTime();
        lock.lock();
        long waited = System.nanoTime() - start;
        boolean changed = load.kind() != Load.Kind.OWN && baton.take(chosen);
        Stage.work(load.work());
        lock.unlock();
        if (now == Phase.MEASURE) {
          waits.recordValue(waited);
          changes += changed ? 1 : 0;
        } else {
          pairs.increment();
        }
      }
    }
  }

  static Remote start(List<String> arguments) throws IOException {
    return Remote.start(
        Worker.class, List.of("-Xms256m", "-Xmx256m"), arguments, ProcessBuilder.Redirect.DISCARD);
  }

  /**
   * The pairs of a process in a second, how often a lock changed to it from another process, and
   * the waiting times of its threads in milliseconds.
   */
  record Count(double perSecond, double changes, double median, double slowest) {
    static Count of(List<Loop> loops, double seconds) throws InterruptedException {
      Histogram all = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
      double changes = 0;
      for (Loop loop : loops) {
        loop.join();
        all.add(loop.waits);
        changes += loop.changes;
      }
      return new Count(
          all.getTotalCount() / seconds,
          changes / seconds,
          all.getValueAtPercentile(50) / 1e6,
          all.getValueAtPercentile(99.9) / 1e6);
    }

    static Count parse(String line) {
      double[] numbers = Stream.of(line.split(" ", 4)).mapToDouble(Double::valueOf).toArray();
      return new Count(numbers[0], numbers[1], numbers[2], numbers[3]);
    }

    @Override
    public String toString() {
      return perSecond + " " + changes + " " + median + " " + slowest;
    }
  }
}
