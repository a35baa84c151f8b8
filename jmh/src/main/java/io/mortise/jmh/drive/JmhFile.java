package io.mortise.jmh.drive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes results of other programs in JMH's format, so that there is one format of results. */
final class JmhFile {
  private static final String SECONDARY = "secondaryMetrics";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private JmhFile() {}

  /** Writes one result. The first figure is the main one; {@code figures} are the others. */
  static void write(
      Path file, String question, Cell cell, double score, Map<String, Double> figures)
      throws IOException {
    JSON.writeValue(file.toFile(), List.of(result(question, cell, score, figures)));
  }

  /** Writes the main figures of several cells of a question. */
  static void write(Path file, String question, Map<Cell, Double> scores) throws IOException {
    JSON.writeValue(
        file.toFile(),
        scores.entrySet().stream()
            .map(each -> result(question, each.getKey(), each.getValue(), Map.of()))
            .toList());
  }

  private static Map<String, Object> result(
      String question, Cell cell, double score, Map<String, Double> figures) {
    Map<String, Object> secondary = new TreeMap<>();
    figures.forEach((name, value) -> secondary.put(name, Map.of("score", value)));
    Map<String, Object> result = new TreeMap<>();
    result.put("benchmark", "io.mortise.jmh.drive." + question + ".drive");
    result.put("params", cell.parameters());
    result.put("primaryMetric", Map.of("score", score));
    result.put(SECONDARY, secondary);
    return result;
  }

  /** Adds figures to each result of a file by JMH. */
  static void add(Path file, Map<String, Double> figures) throws IOException {
    JsonNode results = JSON.readTree(file.toFile());
    for (JsonNode result : results) {
      ObjectNode secondary = (ObjectNode) result.path(SECONDARY);
      figures.forEach((name, value) -> secondary.putObject(name).put("score", value));
    }
    JSON.writeValue(file.toFile(), results);
  }
}
