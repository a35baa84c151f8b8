package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * How many microseconds the server spends in the scripts of one pair. Of many short blocks the
 * quickest counts: what else the machine does can only add to it.
 */
public final class ServerQuestion implements Question {
  private static final int PAIRS = 200;

  /** A question without settings. */
  public ServerQuestion() {}

  @Override
  public String id() {
    return "ServerTime";
  }

  @Override
  public List<Cell> cells(Effort effort) {
    return List.of(
        new Cell(Contestant.MORTISE_JEDIS, Map.of()),
        new Cell(Contestant.REDISSON, Map.of()),
        new Cell(Contestant.BARE_JEDIS, Map.of()));
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    int blocks = effort.quick() ? 30 : 100;
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server())) {
      Lock lock = site.lock("server");
      run(lock);
      double least = Double.POSITIVE_INFINITY;
      double commands = 0;
      for (int i = 0; i < blocks; i++) {
        ServerFigures.Scripts before = figures.scripts();
        run(lock);
        ServerFigures.Scripts after = figures.scripts();
        commands = after.calls() - before.calls();
        least = Math.min(least, (double) (after.micros() - before.micros()));
      }
      JmhFile.write(file, id(), cell, least / PAIRS, Map.of("scripts", commands / PAIRS));
    }
  }

  private static void run(Lock lock) {
    for (int i = 0; i < PAIRS; i++) {
      lock.lock();
      lock.unlock();
    }
  }
}
