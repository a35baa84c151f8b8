package io.mortise.jmh.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What a run has measured, read from JMH's JSON: a folder of files, {@code <round>-<any>.json}. */
public final class Results {
  /** The name of JMH's main figure. */
  public static final String SCORE = "score";

  /** What one round measured in one cell. */
  record Measurement(
      String question, int round, Map<String, String> parameters, Map<String, Double> figures) {}

  private final List<Measurement> all;

  private Results(List<Measurement> all) {
    this.all = all;
  }

  /**
   * Reads a folder.
   *
   * @param folder with files of JMH
   * @return what is in them
   * @throws IOException it cannot be read
   */
  public static Results read(Path folder) throws IOException {
    List<Measurement> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
        read(file, all);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return new Results(all);
  }

  private static void read(Path file, List<Measurement> all) throws IOException {
    String name = String.valueOf(file.getFileName());
    int round = Integer.parseInt(name.substring(0, name.indexOf('-')));
    for (JsonNode result : new ObjectMapper().readTree(file.toFile())) {
      Map<String, String> parameters = new TreeMap<>();
      result
          .path("params")
          .properties()
          .forEach(p -> parameters.put(p.getKey(), p.getValue().asText()));
      Map<String, Double> figures = new TreeMap<>();
      figures.put(SCORE, result.path("primaryMetric").path(SCORE).asDouble());
      result
          .path("secondaryMetrics")
          .properties()
          .forEach(
              metric -> figures.put(metric.getKey(), metric.getValue().path(SCORE).asDouble()));
      all.add(
          new Measurement(question(result.path("benchmark").asText()), round, parameters, figures));
    }
  }

  /** {@code OwnLock} of {@code io.mortise.jmh.question.OwnLock.pair}. */
  private static String question(String benchmark) {
    String type = benchmark.substring(0, benchmark.lastIndexOf('.'));
    return type.substring(type.lastIndexOf('.') + 1);
  }

  /** All measurements, by round and as they were read. */
  List<Measurement> all() {
    return all;
  }

  NavigableSet<Integer> rounds() {
    NavigableSet<Integer> rounds = new TreeSet<>();
    all.forEach(measurement -> rounds.add(measurement.round()));
    return rounds;
  }
}
