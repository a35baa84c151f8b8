package io.mortise.jmh.drive;

import io.mortise.conformance.redis.RedisCluster;
import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Many locks are held over a long wire, or on a cluster nearby. The score is the number of seconds
 * of each third of a lease in which renewals arrive, including the round trip. Further figures are
 * the number of commands and of lost locks.
 *
 * @param contestants the contestants to measure
 * @param locks the number of held locks, one cell each
 * @param onCluster whether a cluster of three masters keeps them
 */
public record RenewalQuestion(List<Contestant> contestants, List<Integer> locks, boolean onCluster)
    implements Question {
  private static final int THREADS = 8;
  private static final int PERIODS = 2;

  /** How many thirds of a lease pass first: the renewals of a new process are slower. */
  private static final double WARM_UP = 5.5;

  private static final int MASTERS = 3;
  private static final Duration ROUND_TRIP = Duration.ofMillis(5);

  @Override
  public String id() {
    return onCluster ? "ClusterRenewal" : "Renewal";
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants, "locks", locks);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    if (onCluster) {
      try (RedisCluster cluster = RedisCluster.start(Duration.ofSeconds(15))) {
        List<URI> masters = cluster.nodes().stream().limit(MASTERS).map(RedisServer::uri).toList();
        measure(new Place(cluster.uri(), masters, delay -> {}, 0), cell, effort, file);
      }
    } else {
      try (LongWire wire = new LongWire(effort.server())) {
        LongConsumer delay = nanos -> wire.delay(nanos, TimeUnit.NANOSECONDS);
        long roundTrip = ROUND_TRIP.toNanos();
        List<URI> one = List.of(effort.server());
        measure(new Place(wire.uri(), one, delay, roundTrip), cell, effort, file);
      }
    }
  }

  /**
   * Where the locks are.
   *
   * @param store the contestant's URI
   * @param servers the servers that count commands
   * @param delay sets how long the wire delays each direction (ns)
   * @param roundTrip the time of a round trip over the wire (ns)
   */
  private record Place(URI store, List<URI> servers, LongConsumer delay, long roundTrip) {}

  private void measure(Place place, Cell cell, Effort effort, Path file) throws Exception {
    int held = cell.number("locks");
    Duration third = Duration.ofSeconds(effort.quick() && !onCluster ? 2 : 4);
    ExecutorService owners = Executors.newFixedThreadPool(THREADS); // a lock dies with its owner
    try (ServerFigures figures = new ServerFigures(place.servers());
        Site site = cell.contestant().open(place.store(), third.multipliedBy(3))) {
      figures.clear();
      lockAll(site, owners, held);
      place.delay().accept(place.roundTrip() / 2);
      double warmUp = effort.quick() ? 1.5 : WARM_UP; // a half, so that none is due at the end
      Thread.sleep((long) (third.toMillis() * warmUp));
      Watch watch = new Watch(figures, third, place.roundTrip());
      watch.run();
      double lost = Math.max(0, held - figures.keys());
      place.delay().accept(0);
      JmhFile.write(
          file,
          id(),
          cell,
          watch.busySeconds() / PERIODS,
          Map.of("commands", (double) watch.commands / PERIODS, "lost", lost));
    } finally {
      owners.shutdownNow();
    }
  }

  private static void lockAll(Site site, ExecutorService owners, int count) throws Exception {
    List<Future<?>> parts = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int from = thread;
      parts.add(
          owners.submit(() -> {
            for (int i = from; i < count; i += THREADS) {
              site.lock("held-" + i).lock();
            }
          }));
    }
    for (Future<?> part : parts) {
      part.get();
    }
  }

  /** Reads the server's count of scripts again and again, for some thirds of a lease. */
  private static final class Watch {
    private final ServerFigures figures;
    private final Duration third;
    private final long pause;
    private final long roundTrip;
    private long commands;
    private long busyNanos;

    Watch(ServerFigures figures, Duration third, long roundTrip) {
      this.figures = figures;
      this.third = third;
      this.roundTrip = roundTrip;
      pause = third.toNanos() / 20;
    }

    /** Commands belong to one burst if less than a twentieth of a third is between them. */
    void run() throws IOException, InterruptedException {
      long start = System.nanoTime();
      long end = start + PERIODS * third.toNanos();
      long before = figures.scripts().calls();
      long burst = 0;
      long last = start - pause;
      for (long now = start; now < end; now = System.nanoTime()) {
        long calls = figures.scripts().calls();
        if (calls > before) {
          boolean fresh = now - last > pause;
          busyNanos += fresh ? burst : now - last;
          burst = roundTrip;
          last = now;
          commands += calls - before;
          before = calls;
        }
        Thread.sleep(2);
      }
      busyNanos += burst;
    }

    double busySeconds() {
      return busyNanos / 1e9;
    }
  }
}
