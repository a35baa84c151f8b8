package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.contestant.Site;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** How many microseconds the server spends in the scripts of one pair that nobody else disturbs. */
public final class ServerQuestion implements Question {
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
    int pairs = effort.quick() ? 5_000 : 20_000;
    try (ServerFigures figures = new ServerFigures(effort.server());
        Site site = cell.contestant().open(effort.server())) {
      Lock lock = site.lock("server");
      run(lock, pairs / 5);
      ServerFigures.Scripts before = figures.scripts();
      run(lock, pairs);
      ServerFigures.Scripts after = figures.scripts();
      double commands = after.calls() - before.calls();
      double micros = after.micros() - before.micros();
      JmhFile.write(file, id(), cell, micros / pairs, Map.of("scripts", commands / pairs));
    }
  }

  private static void run(Lock lock, int pairs) {
    for (int i = 0; i < pairs; i++) {
      lock.lock();
      lock.unlock();
    }
  }
}
