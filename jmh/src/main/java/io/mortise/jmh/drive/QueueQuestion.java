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
 * What one hand-over of a fair lock costs the server while so many others stand in its line:
 * microseconds in scripts, the least of some slices of time since the machine can only add to it;
 * and how many scripts. Who had the lock goes to the end of the line.
 *
 * @param contestants who is asked
 * @param waiters how many wait, one cell each
 */
public record QueueQuestion(List<Contestant> contestants, List<Integer> waiters)
    implements Question {
  /** The figure that counts the scripts of one hand-over. */
  public static final String SCRIPTS = "scripts";

  private static final int SLICES = 10;
  private static final int PATIENCE = 8; // with a line that stands still for some seconds

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
        throw new IOException("nobody had the lock");
      }
      JmhFile.write(file, id(), cell, least, Map.of(SCRIPTS, whole.scripts / whole.passed));
    }
  }

  /** What so many hand-overs cost. */
  private record Cost(double passed, double scripts, double micros) {
    static Cost of(ServerFigures figures, Line line) throws IOException {
      ServerFigures.Scripts now = figures.scripts();
      return new Cost(line.passed.get(), now.calls(), now.micros());
    }

    Cost minus(Cost before) {
      return new Cost(passed - before.passed, scripts - before.scripts, micros - before.micros);
    }
  }

  /** Those who want the lock, have it, and want it again. */
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

    /** Lets the line come to its end. */
    void drain() throws Exception {
      open = false;
      all.awaitAdvanceInterruptibly(all.arrive(), 1, TimeUnit.MINUTES);
      if (failure.isCompletedExceptionally()) {
        throw new CompletionException(failure.handle((nothing, failed) -> failed).join());
      }
    }
  }
}
