package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.ComparedLock;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What it costs the server when a lock goes from one process to another. Two clients of one thread
 * each lock and unlock as fast as they can. The score is microseconds in scripts for a change of
 * client: the smallest of several slices of time, because the machine can only add to it. The other
 * figure is the number of scripts.
 *
 * @param contestants the contestants to measure, each with all locks
 */
public record ChangeQuestion(List<Contestant> contestants) implements Question {
  /** The setting that names the lock. */
  public static final String LOCK = "lock";

  /** A semaphore of one permit, as a value of {@link #LOCK}. */
  public static final String PERMIT = "permit";

  /** The figure that counts the scripts of one change. */
  public static final String SCRIPTS = "scripts";

  private static final List<ComparedLock> LOCKS =
      List.of(ComparedLock.PLAIN, ComparedLock.FAIR, ComparedLock.WRITE);

  private static final int SLICES = 10;

  @Override
  public String id() {
    return "ServerChange";
  }

  @Override
  public List<Cell> cells() {
    List<String> names = new ArrayList<>(LOCKS.stream().map(ComparedLock::title).toList());
    names.add(PERMIT);
    return Cell.eachNamed(contestants, LOCK, names);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    String lock = String.valueOf(cell.settings().get(LOCK));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site one = cell.contestant().open(effort.server());
        Site other = cell.contestant().open(effort.server())) {
      figures.clear();
      Changes changes = new Changes();
      List<Future<?>> clients =
          List.of(
              threads.submit(() -> changes.make(1, section(one, lock))),
              threads.submit(() -> changes.make(2, section(other, lock))));
      Thread.sleep(effort.warmUp(cell.contestant()).toMillis());
      Cost start = Cost.of(figures, changes);
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < SLICES; i++) {
        Cost before = Cost.of(figures, changes);
        Thread.sleep(effort.measure().dividedBy(SLICES).toMillis());
        Cost slice = Cost.of(figures, changes).minus(before);
        least = slice.changes > 0 ? Math.min(least, slice.micros / slice.changes) : least;
      }
      Cost whole = Cost.of(figures, changes).minus(start);
      changes.open = false;
      end(clients);
      if (whole.changes == 0) {
        throw new IOException(cell + ": the lock did not change its client");
      }
      JmhFile.write(file, id(), cell, least, Map.of(SCRIPTS, whole.scripts / whole.changes));
    } finally {
      threads.shutdownNow();
    }
  }

  private static void end(List<Future<?>> clients)
      throws InterruptedException, ExecutionException, TimeoutException {
    for (Future<?> each : clients) {
      each.get(1, TimeUnit.MINUTES);
    }
  }

  /** What only one client at a time has. */
  private static Site.Semaphore section(Site site, String lock) {
    if (lock.equals(PERMIT)) {
      return site.semaphore("change", 1);
    }
    ComparedLock kind =
        LOCKS.stream().filter(each -> each.title().equals(lock)).findFirst().orElseThrow();
    var handle = site.lock(kind, "change-" + lock);
    return () -> {
      handle.lock();
      return handle::unlock;
    };
  }

  /** The changes of client so far. */
  private static final class Changes {
    private volatile boolean open = true;
    private volatile int holder;
    private volatile long count;

    /** Only one client at a time is between the two calls. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    Void make(int client, Site.Semaphore section) throws InterruptedException {
      while (open) {
        Runnable release = section.acquire();
        if (holder != client) {
          holder = client;
          count++;
        }
        release.run();
      }
      return null;
    }
  }

  /** The cost of a number of changes. */
  private record Cost(double changes, double scripts, double micros) {
    static Cost of(ServerFigures figures, Changes changes) throws IOException {
      ServerFigures.Scripts now = figures.scripts();
      return new Cost(changes.count, now.calls(), now.micros());
    }

    Cost minus(Cost before) {
      return new Cost(changes - before.changes, scripts - before.scripts, micros - before.micros);
    }
  }
}
