package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One or more processes want the same locks. The score is what all do in a second; besides it there
 * are the smallest and the largest share of a process, and how long threads waited.
 *
 * @param id its name
 * @param load what they do
 * @param setting the part of the load that varies
 * @param values of the setting, one cell each
 * @param contestants who is asked
 */
public record ProcessQuestion(
    String id, Load load, String setting, List<Integer> values, List<Contestant> contestants)
    implements Question {
  @Override
  public List<Cell> cells() {
    return Cell.each(contestants, setting, values);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    List<Worker.Remote> workers = new ArrayList<>();
    try {
      Load given = load.with(setting, cell.number(setting));
      for (int i = 0; i < given.processes(); i++) {
        workers.add(Worker.Remote.start(arguments(cell, given, effort)));
      }
      List<Worker.Count> counts = run(workers);
      JmhFile.write(file, id, cell, sum(counts), figures(counts));
    } finally {
      workers.forEach(Worker.Remote::close);
    }
  }

  private static List<String> arguments(Cell cell, Load load, Effort effort) {
    return List.of(
        cell.contestant().name(),
        effort.server().toString(),
        load.text(),
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
