package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one change of holder of a fair lock costs the server while a number of others wait. The
 * score is microseconds in scripts: the smallest of several slices of time, because the machine can
 * only add to it. The other figure is the number of scripts. After its hold, each acquisition goes
 * to the end of the queue.
 *
 * @param contestants the contestants to measure
 * @param waiters the number of waiters, one cell each
 */
public record QueueQuestion(List<Contestant> contestants, List<Integer> waiters)
    implements Question {
  /** The figure that counts the scripts of one change of holder. */
  public static final String SCRIPTS = "scripts";

  private static final int SLICES = 10;
  private static final int PATIENCE = 8; // for a queue without progress for some seconds

  @Override
  public String id() {
    return "Queue";
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants, "waiters", waiters);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server())) {
      figures.clear();
      Line line = new Line(site);
      line.fill(1 + cell.number("waiters"));
      Thread.sleep(effort.warmUp().toMillis());
      Cost start = Cost.of(figures, line);
      double least = Double.POSITIVE_INFINITY;
      double passed = 0;
      for (int i = 0; i < SLICES || (passed == 0 && i < PATIENCE * SLICES); i++) {
        Cost before = Cost.of(figures, line);
        Thread.sleep(effort.measure().dividedBy(SLICES).toMillis());
        Cost slice = Cost.of(figures, line).minus(before);
        passed += slice.passed;
        least = slice.passed > 0 ? Math.min(least, slice.micros / slice.passed) : least;
      }
      Cost whole = Cost.of(figures, line).minus(start);
      line.drain();
      if (passed == 0) {
        throw new IOException("the lock had no holder during the measurement");
      }
      JmhFile.write(file, id(), cell, least, Map.of(SCRIPTS, whole.scripts / whole.passed));
    }
  }

  /** The cost of a number of changes of holder. */
  private record Cost(double passed, double scripts, double micros) {
    static Cost of(ServerFigures figures, Line line) throws IOException {
      ServerFigures.Scripts now = figures.scripts();
      return new Cost(line.passed.get(), now.calls(), now.micros());
    }

    Cost minus(Cost before) {
      return new Cost(passed - before.passed, scripts - before.scripts, micros - before.micros);
    }
  }

  /** The acquisitions that wait, hold the lock, and wait again. */
  private static final class Line {
    private final Site site;
    private final AtomicLong passed = new AtomicLong();
    private final Phaser all = new Phaser(1);
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    private volatile boolean open = true;

    Line(Site site) {
      this.site = site;
    }

    void fill(int size) {
      for (int i = 0; i < size; i++) {
        all.register();
        join();
      }
    }

    private void join() {
      site.passThrough("queue")
          .whenCompleteAsync((nothing, failed) -> {
            passed.incrementAndGet();
            if (failed != null) {
              failure.completeExceptionally(failed);
            }
            if (open && failed == null) {
              join();
            } else {
              all.arriveAndDeregister();
            }
          });
    }

    /** Lets the queue become empty. */
    void drain() throws Exception {
      open = false;
      all.awaitAdvanceInterruptibly(all.arrive(), 1, TimeUnit.MINUTES);
      if (failure.isCompletedExceptionally()) {
        throw new CompletionException(failure.handle((nothing, failed) -> failed).join());
      }
    }
  }
}
