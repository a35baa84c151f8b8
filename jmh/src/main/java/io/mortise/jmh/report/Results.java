package io.mortise.jmh.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mortise.jmh.contestant.Contestant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The results of a run, read from a folder of JMH's JSON files, {@code <round>-<any>.json}. */
public final class Results {
  /** The name of JMH's main figure. */
  public static final String SCORE = "score";

  /** The name of the parameter for the contestant. */
  static final String CONTESTANT = "contestant";

  /** The measurement of one cell in one round. */
  record Measurement(
      String question, int round, Map<String, String> parameters, Map<String, Double> figures) {}

  private final List<Measurement> all;

  private Results(List<Measurement> all) {
    this.all = all;
  }

  /**
   * Reads a folder.
   *
   * @param folder the folder of JMH's files
   * @return their results
   * @throws IOException the folder cannot be read
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

  /**
   * The question in a benchmark's name: {@code OwnLock} of {@code
   * io.mortise.jmh.question.OwnLock.pair}.
   */
  private static String question(String benchmark) {
    String type = benchmark.substring(0, benchmark.lastIndexOf('.'));
    return type.substring(type.lastIndexOf('.') + 1);
  }

  /** All measurements, by round and in the order of the files. */
  List<Measurement> all() {
    return all;
  }

  /** The cells of a question in the order of setting and contestant, whatever order they ran in. */
  Set<Map<String, String>> cells(String question) {
    Set<Map<String, String>> cells = new LinkedHashSet<>();
    all.stream()
        .filter(each -> each.question().equals(question))
        .map(Measurement::parameters)
        .sorted(Comparator.comparingInt(Results::setting).thenComparing(Results::contestant))
        .forEach(cells::add);
    return cells;
  }

  static Contestant contestant(Map<String, String> parameters) {
    return Contestant.valueOf(Objects.requireNonNull(parameters.get(CONTESTANT)));
  }

  /** The number among the parameters. No question has more than one. */
  private static int setting(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .filter(each -> !each.getKey().equals(CONTESTANT))
        .mapToInt(each -> Integer.parseInt(each.getValue()))
        .findFirst()
        .orElse(0);
  }

  NavigableSet<Integer> rounds() {
    NavigableSet<Integer> rounds = new TreeSet<>();
    all.forEach(measurement -> rounds.add(measurement.round()));
    return rounds;
  }
}
