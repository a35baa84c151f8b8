package io.mortise.jmh.drive;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes what JMH did not measure as JMH would, so that there is one kind of result. */
final class JmhFile {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private JmhFile() {}

  /** The first figure is the main one; {@code figures} are the others. */
  static void write(
      Path file, String question, Cell cell, double score, Map<String, Double> figures)
      throws IOException {
    Map<String, Object> secondary = new TreeMap<>();
    figures.forEach((name, value) -> secondary.put(name, Map.of("score", value)));
    Map<String, Object> result = new TreeMap<>();
    result.put("benchmark", "io.mortise.jmh.drive." + question + ".drive");
    result.put("params", cell.parameters());
    result.put("primaryMetric", Map.of("score", score));
    result.put("secondaryMetrics", secondary);
    JSON.writeValue(file.toFile(), List.of(result));
  }
}
