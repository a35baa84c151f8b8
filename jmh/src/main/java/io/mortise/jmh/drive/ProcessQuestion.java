package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Several processes want one lock. The score is what all do in a second; besides it there are the
 * smallest and the largest share of a process, and how long threads waited.
 *
 * @param id its name
 * @param fair which kind of lock
 * @param threads of each process
 * @param contestants who is asked
 * @param works microseconds of work inside the lock, one cell each
 * @param first whether a cell is part of the first impression
 */
public record ProcessQuestion(
    String id,
    boolean fair,
    int threads,
    List<Contestant> contestants,
    List<Integer> works,
    Predicate<Cell> first)
    implements Question {
  private static final int PROCESSES = 2;

  @Override
  public List<Cell> cells(Effort effort) {
    List<Cell> cells = new ArrayList<>();
    for (int work : works) {
      for (Contestant contestant : contestants) {
        cells.add(new Cell(contestant, Map.of("work", String.valueOf(work))));
      }
    }
    return cells.stream().filter(cell -> !effort.quick() || first.test(cell)).toList();
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    List<Worker.Remote> workers = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        workers.add(Worker.Remote.start(arguments(cell, effort)));
      }
      List<Worker.Count> counts = run(workers);
      JmhFile.write(file, id, cell, sum(counts), figures(counts));
    } finally {
      workers.forEach(Worker.Remote::close);
    }
  }

  private List<String> arguments(Cell cell, Effort effort) {
    return List.of(
        cell.contestant().name(),
        effort.server().toString(),
        fair ? "fair" : "plain",
        String.valueOf(threads),
        String.valueOf(cell.settings().get("work")),
        String.valueOf(effort.warmUp().toMillis()),
        String.valueOf(effort.measure().toMillis()));
  }

  /** All begin when all are ready, and none ends before all have measured. */
  private static List<Worker.Count> run(List<Worker.Remote> workers) throws Exception {
    for (String step : List.of(Worker.READY, Worker.MEASURED)) {
      for (Worker.Remote worker : workers) {
        worker.await(step);
      }
      for (Worker.Remote worker : workers) {
        worker.goOn();
      }
    }
    List<Worker.Count> counts = new ArrayList<>();
    for (Worker.Remote worker : workers) {
      counts.add(Worker.Count.parse(worker.await(Worker.COUNTED)));
    }
    return counts;
  }

  private static double sum(List<Worker.Count> counts) {
    return counts.stream().mapToDouble(Worker.Count::perSecond).sum();
  }

  private static Map<String, Double> figures(List<Worker.Count> counts) {
    double sum = sum(counts);
    Map<String, Double> figures = new TreeMap<>();
    figures.put(
        "smallest share",
        counts.stream().mapToDouble(each -> each.perSecond() / sum).min().orElse(0));
    figures.put("wait p50, ms", counts.stream().mapToDouble(Worker.Count::median).max().orElse(0));
    figures.put(
        "wait p99.9, ms", counts.stream().mapToDouble(Worker.Count::slowest).max().orElse(0));
    return figures;
  }
}
