package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.question.Steadiness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One or more processes want the same locks. The score is the number of pairs of all processes in a
 * second. Further figures are the smallest share of a process, how often the lock changed to
 * another process, how long threads waited, and the pairs of the first second.
 *
 * @param id its name
 * @param load the load of the processes
 * @param setting the part of the load that varies
 * @param values the values of the setting, one cell each
 * @param contestants the contestants to measure
 */
public record ProcessQuestion(
    String id, Load load, String setting, List<Integer> values, List<Contestant> contestants)
    implements Question {
  /** The figure that counts how often in a second a lock changed to another process. */
  public static final String CHANGES = "changes of process";

  /** The figure that counts the pairs in the first second of new processes. */
  public static final String FIRST_SECOND = "first second";

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants, setting, values);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    List<Remote> workers = new ArrayList<>();
    Path baton = file.resolveSibling(file.getFileName() + ".baton");
    try {
      Load given = load.with(setting, cell.number(setting));
      for (int i = 0; i < given.processes(); i++) {
        workers.add(Worker.start(arguments(cell, given, effort, baton)));
      }
      Effort own = given.processes() > 1 ? effort.ofProcesses() : effort;
      Steadiness warmUp = new Steadiness(own.warmUp(cell.contestant()));
      List<Worker.Count> counts = run(workers, warmUp);
      JmhFile.write(file, id, cell, sum(counts), figures(counts, warmUp));
    } finally {
      workers.forEach(Remote::close);
      Files.deleteIfExists(baton);
    }
  }

  private static List<String> arguments(Cell cell, Load load, Effort effort, Path baton) {
    return List.of(
        cell.contestant().name(),
        effort.server().toString(),
        load.text(),
        String.valueOf(effort.measure().toMillis()),
        baton.toString());
  }

  /**
   * All processes begin when all are ready, and measure when all are warm. None ends before all
   * have measured.
   */
  private static List<Worker.Count> run(List<Remote> workers, Steadiness warmUp) throws Exception {
    awaitAll(workers, Worker.READY);
    goOn(workers);
    boolean over = false;
    while (!over) {
      over =
          warmUp.add(awaitAll(workers, Worker.SECOND).stream().mapToDouble(Double::valueOf).sum());
    }
    goOn(workers);
    awaitAll(workers, Worker.MEASURED);
    goOn(workers);
    List<Worker.Count> counts =
        awaitAll(workers, Worker.COUNTED).stream().map(Worker.Count::parse).toList();
    for (Remote worker : workers) {
      worker.awaitEnd();
    }
    return counts;
  }

  private static List<String> awaitAll(List<Remote> workers, String step) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Remote worker : workers) {
      lines.add(worker.await(step));
    }
    return lines;
  }

  private static void goOn(List<Remote> workers) throws IOException {
    for (Remote worker : workers) {
      worker.goOn();
    }
  }

  private static double sum(List<Worker.Count> counts) {
    return counts.stream().mapToDouble(Worker.Count::perSecond).sum();
  }

  private static Map<String, Double> figures(List<Worker.Count> counts, Steadiness warmUp) {
    double sum = sum(counts);
    Map<String, Double> figures = new TreeMap<>();
    figures.put(
        "smallest share",
        counts.stream().mapToDouble(each -> each.perSecond() / sum).min().orElse(0));
    figures.put(CHANGES, counts.stream().mapToDouble(Worker.Count::changes).sum());
    figures.put(FIRST_SECOND, warmUp.first());
    figures.put(Steadiness.SECONDS, (double) warmUp.seconds());
    figures.put(Steadiness.DRIFT, warmUp.drift());
    figures.put("wait p50, ms", counts.stream().mapToDouble(Worker.Count::median).max().orElse(0));
    figures.put(
        "wait p99.9, ms", counts.stream().mapToDouble(Worker.Count::slowest).max().orElse(0));
    return figures;
  }
}
