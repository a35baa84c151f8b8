package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All contestants alternate in one process, on any processor. This is the second way to compare,
 * beside a process for each. Each second of a contestant counts as a round.
 *
 * @param scene the measured scene
 * @param contestants the contestants that take part
 */
public record TurnsQuestion(Scene scene, List<Contestant> contestants) implements Question {
  private static final int TURNS = 5;

  @Override
  public String id() {
    return scene.id();
  }

  @Override
  public List<Cell> cells() {
    return Cell.each(contestants);
  }

  @Override
  public List<List<Cell>> sittings(List<Cell> cells) {
    return cells.isEmpty() ? List.of() : List.of(cells);
  }

  @Override
  public void measure(Cell cell, Effort effort, Path file) throws Exception {
    measure(List.of(cell), effort, file);
  }

  @Override
  public void measure(List<Cell> sitting, Effort effort, Path file) throws Exception {
    Map<Integer, Map<Cell, Double>> turns = new TreeMap<>();
    Process process =
        new ProcessBuilder(command(sitting, effort))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader reports = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reports.readLine(); line != null; line = reports.readLine()) {
        String[] words = line.split(" ", 4);
        if (words[0].equals(Turns.TURN)) {
          Cell cell = new Cell(Contestant.valueOf(words[2]), Map.of());
          turns
              .computeIfAbsent(Integer.valueOf(words[1]), turn -> new LinkedHashMap<>())
              .put(cell, Double.valueOf(words[3]));
        }
      }
    } finally {
      process.destroyForcibly();
    }
    if (turns.size() < TURNS) {
      throw new IOException("it ended after " + turns.size() + " of " + TURNS + " turns");
    }
    for (Map.Entry<Integer, Map<Cell, Double>> turn : turns.entrySet()) {
      JmhFile.write(ofRound(file, turn.getKey()), id(), turn.getValue());
    }
  }

  /** The file of a round. The number before the first dash is the round's. */
  private static Path ofRound(Path file, int round) {
    String name = String.valueOf(file.getFileName());
    return file.resolveSibling(round + name.substring(name.indexOf('-')));
  }

  private List<String> command(List<Cell> sitting, Effort effort) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xms512m",
            "-Xmx512m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
            "-cp",
            System.getProperty("java.class.path"),
            Turns.class.getName(),
            scene.name(),
            effort.server().toString(),
            String.valueOf(effort.warmUp().toSeconds()),
            String.valueOf(TURNS)));
    sitting.forEach(cell -> command.add(cell.contestant().name()));
    return command;
  }
}
