package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
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
 * microseconds in scripts, and how many scripts. Who had the lock goes to the end of the line.
 *
 * @param contestants who is asked
 * @param waiters how many wait, one cell each
 */
public record QueueQuestion(List<Contestant> contestants, List<Integer> waiters)
    implements Question {
  /** The figure that counts the scripts of one hand-over. */
  public static final String SCRIPTS = "scripts";

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
      ServerFigures.Scripts before = figures.scripts();
      double passed = -line.passed.get();
      Thread.sleep(effort.measure().toMillis());
      ServerFigures.Scripts after = figures.scripts();
      passed += line.passed.get();
      line.drain();
      double micros = (after.micros() - before.micros()) / passed;
      double scripts = (after.calls() - before.calls()) / passed;
      JmhFile.write(file, id(), cell, micros, Map.of(SCRIPTS, scripts));
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
