package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * How many microseconds the server spends in the scripts of one pair. The contestant and the bare
 * client alternate in short blocks. The fastest block of each counts, because the rest of the
 * machine can only add time.
 */
public final class ServerQuestion implements Question {
  /** The figure that gives the cost relative to the bare client's pair. */
  public static final String OF_BARE = "of the bare pair";

  private static final int PAIRS = 200;

  /** Creates the question, which has no settings. */
  public ServerQuestion() {}

  @Override
  public String id() {
    return "ServerTime";
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(List.of(Contestant.MORTISE_JEDIS, Contestant.REDISSON, Contestant.BARE_JEDIS));
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    int blocks = effort.quick() ? 30 : 100;
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server());
        Site bare = Contestant.BARE_JEDIS.open(effort.server())) {
      Blocks subject = new Blocks(figures, site.lock("server"));
      Blocks floor = new Blocks(figures, bare.lock("floor"));
      for (int i = 0; i < blocks; i++) {
        subject.run();
        floor.run();
      }
      Map<String, Double> more =
          Map.of("scripts", subject.scripts, OF_BARE, subject.micros / floor.micros);
      JmhFile.write(file, id(), cell, subject.micros, more);
    }
  }

  /** The blocks of pairs of one lock: the fewest microseconds of a pair so far, and its scripts. */
  private static final class Blocks {
    private final ServerFigures figures;
    private final Lock lock;
    private double micros = Double.POSITIVE_INFINITY;
    private double scripts;

    Blocks(ServerFigures figures, Lock lock) {
      this.figures = figures;
      this.lock = lock;
    }

    void run() throws IOException {
      ServerFigures.Scripts before = figures.scripts();
      for (int i = 0; i < PAIRS; i++) {
        lock.lock();
        lock.unlock();
      }
      ServerFigures.Scripts after = figures.scripts();
      scripts = (double) (after.calls() - before.calls()) / PAIRS;
      micros = Math.min(micros, (double) (after.micros() - before.micros()) / PAIRS);
    }
  }
}
