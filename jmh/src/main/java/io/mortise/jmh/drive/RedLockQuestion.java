package io.mortise.jmh.drive;

import io.mortise.conformance.redis.RedisServer;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.HdrHistogram.Histogram;

/**
 * How many milliseconds a lock and unlock of a Redlock of several servers take, each server 2 ms
 * away. With one server it is a plain lock. The score is the median of all pairs.
 *
 * @param contestants the contestants to measure
 * @param nodes the number of servers, one cell each
 */
public record RedLockQuestion(List<Contestant> contestants, List<Integer> nodes)
    implements Question {
  private static final long WAY_MILLIS = 2;

  @Override
  public String id() {
    return "RedLock";
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants, "nodes", nodes);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    try (Nodes all = new Nodes()) {
      for (int i = 0; i < cell.number("nodes"); i++) {
        all.add(cell.contestant());
      }
      Lock lock = all.lock();
      all.moveAway();
      time(lock, effort.warmUp().toNanos());
      Histogram pairs = time(lock, effort.measure().toNanos());
      double millis = pairs.getValueAtPercentile(50) / 1e6;
      JmhFile.write(
          file, id(), cell, millis, Map.of("p99, ms", pairs.getValueAtPercentile(99) / 1e6));
    }
  }

  private static Histogram time(Lock lock, long nanos) {
    Histogram pairs = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
    long start = System.nanoTime();
    for (long now = start; now - start < nanos; ) {
      lock.lock();
      lock.unlock();
      long then = System.nanoTime();
      pairs.recordValue(then - now);
      now = then;
    }
    return pairs;
  }

  /** The servers, a wire to each, and the contestant at its end. */
  private static final class Nodes implements AutoCloseable {
    private final List<RedisServer> servers = new ArrayList<>();
    private final List<LongWire> wires = new ArrayList<>();
    private final List<Site> sites = new ArrayList<>();

    void add(Contestant contestant) throws IOException {
      RedisServer server = RedisServer.start();
      servers.add(server);
      LongWire wire = new LongWire(server.uri());
      wires.add(wire);
      sites.add(contestant.open(wire.uri()));
    }

    Lock lock() {
      Site first = sites.get(0);
      return sites.size() == 1 ? first.lock("red") : first.redLock("red", sites);
    }

    void moveAway() {
      wires.forEach(wire -> wire.delay(WAY_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() throws IOException {
      sites.forEach(Site::close);
      for (LongWire wire : wires) {
        wire.close();
      }
      servers.forEach(RedisServer::close);
    }
  }
}
