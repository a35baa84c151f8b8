package io.mortise.jmh;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.util.stream.Collectors.toSet;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Pin;
import io.mortise.jmh.drive.Pin.Processors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures every cell of every question, round by round. Contestants alternate, so that
 * disturbances of the machine meet all of them alike. Every other round runs backwards. Cells whose
 * results are in the folder already are not measured again, so a run that was cut can be continued.
 */
final class Run {
  /** The cells that are measured together in one round. */
  private record Step(int round, Asked asked, List<Cell> cells) {
    /** The name of the result's file. It tells the step from all others of the plan. */
    String file() {
      String title = asked.question().id() + ' ' + cells;
      String words = title.replaceAll("[^A-Za-z0-9=]+", "-").replaceAll("-$", "");
      return round + "-" + words + ".json";
    }
  }

  private final List<Step> steps = new ArrayList<>();
  private final Effort effort;
  private final Pin pin;
  private final Path results;

  Run(List<Asked> questions, Effort effort, Pin pin, Path results) {
    this.effort = effort;
    this.pin = pin;
    this.results = results;
    for (int round = 1; round <= effort.rounds(); round++) {
      for (Asked question : questions) {
        add(round, question);
      }
    }
  }

  private void add(int round, Asked question) {
    List<Cell> cells = new ArrayList<>(question.cells(effort, round));
    if (round % 2 == 0) {
      Collections.reverse(cells);
    }
    question
        .question()
        .sittings(cells)
        .forEach(sitting -> steps.add(new Step(round, question, sitting)));
  }

  /**
   * Measures all cells that have no result yet. Returns whether every cell could be measured, and
   * prints the reason for each that could not.
   */
  boolean all() throws InterruptedException {
    boolean complete = true;
    List<Step> missing = steps.stream().filter(step -> !Files.exists(file(step))).toList();
    if (missing.size() < steps.size()) {
      System.err.printf(
          "%d of %d results are in %s already%n",
          steps.size() - missing.size(), steps.size(), results);
    }
    long start = System.nanoTime();
    for (int i = 0; i < missing.size(); i++) {
      Step step = missing.get(i);
      double seconds = (System.nanoTime() - start) / 1e9;
      System.err.printf(
          "%3d of %d, %s: round %d of %d, %s, %s%n",
          i + 1,
          missing.size(),
          time(seconds, i, missing.size()),
          step.round(),
          effort.rounds(),
          step.asked().question().id(),
          step.cells().stream().map(Cell::toString).collect(Collectors.joining("; ")));
      try {
        measure(step);
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        complete = false;
        System.err.println("    not measured: " + e);
      }
    }
    return complete;
  }

  private Path file(Step step) {
    return results.resolve(step.file());
  }

  /**
   * Measures in a folder of its own, and then moves the results, that of the step's name last. So a
   * step that was cut has no result of that name.
   */
  private void measure(Step step) throws Exception {
    long start = System.nanoTime();
    Path folder = Files.createTempDirectory(results, "unfinished");
    Path main = folder.resolve(step.file());
    measure(step, main);
    for (Path each : files(folder)) {
      if (!each.equals(main) && each.toString().endsWith(".json")) {
        Files.move(each, results.resolve(each.getFileName()), REPLACE_EXISTING);
      }
    }
    Files.move(main, file(step));
    for (Path each : files(folder)) {
      Files.delete(each);
    }
    Files.delete(folder);
    Files.writeString(spent(), String.valueOf(seconds() + (System.nanoTime() - start) / 1e9));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private Path spent() {
    return results.resolve("seconds");
  }

  /** For how long all results of the folder were measured (s). */
  double seconds() throws IOException {
    return Files.exists(spent()) ? Double.parseDouble(Files.readString(spent()).strip()) : 0;
  }

  private void measure(Step step, Path file) throws Exception {
    Set<Processors> wanted = step.cells().stream().map(step.asked().on()).collect(toSet());
    Processors on =
        pin.isPossible() && wanted.size() == 1 ? wanted.iterator().next() : Processors.ANY;
    Effort here = on == Processors.ANY ? effort : effort.pinned();
    pin.run(on, () -> step.asked().question().measure(step.cells(), here, file));
  }

  /** Progress such as "40 s, about 120 s left". */
  private static String time(double seconds, int done, int all) {
    return done == 0
        ? "0 s"
        : "%.0f s, about %.0f s left".formatted(seconds, seconds / done * (all - done));
  }
}
