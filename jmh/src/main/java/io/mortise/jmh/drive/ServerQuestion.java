package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.ComparedLock;
import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
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

  /** The setting that names the lock. */
  public static final String LOCK = "lock";

  private static final List<ComparedLock> LOCKS =
      List.of(ComparedLock.PLAIN, ComparedLock.FAIR, ComparedLock.READ, ComparedLock.WRITE);

  private static final int PAIRS = 200;

  /** Creates the question. */
  public ServerQuestion() {}

  @Override
  public String id() {
    return "ServerTime";
  }

  @Override
  public List<Cell> cells() {
    List<Cell> cells =
        new ArrayList<>(
            Cell.eachNamed(
                List.of(Contestant.MORTISE_JEDIS, Contestant.REDISSON),
                LOCK,
                LOCKS.stream().map(ComparedLock::title).toList()));
    cells.addAll(
        Cell.eachNamed(List.of(Contestant.BARE_JEDIS), LOCK, List.of(ComparedLock.PLAIN.title())));
    return cells;
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    int blocks = effort.quick() ? 30 : 100;
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server());
        Site bare = Contestant.BARE_JEDIS.open(effort.server())) {
      Blocks subject = new Blocks(figures, lock(site, cell));
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

  private static Lock lock(Site site, Cell cell) {
    ComparedLock kind =
        LOCKS.stream().filter(each -> cell.has(LOCK, each.title())).findFirst().orElseThrow();
    return site.lock(kind, "server-" + kind.title());
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
