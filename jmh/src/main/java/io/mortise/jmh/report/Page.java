package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Results.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Writes {@code performance.md} and its charts. Nothing in them is from anywhere but the run. */
public final class Page {
  private static final List<String> INTRODUCTION =
      List.of(
          "A ratio compares two contestants within one round: both ran on the same Redis minutes apart, each in a",
          "JVM of its own. The table has the median of all rounds and, in brackets, the smallest and the largest.",
          "Ratios can be compared between machines, pairs per second cannot: those below are a remark about this one.",
          "How it is measured, and why so, is in [a decision](decisions/0014-how-we-measure.md).",
          "");

  private final Results results;
  private final List<Row> rows;
  private final List<Topic> topics;

  /**
   * A page.
   *
   * @param results what was measured
   * @param rows the lines of its table
   * @param topics its charts
   */
  public Page(Results results, List<Row> rows, List<Topic> topics) {
    this.results = results;
    this.rows = rows;
    this.topics = topics;
  }

  /**
   * Writes it.
   *
   * @param folder where {@code performance.md} goes, and a folder of charts beside it
   * @param run what is to be said of the run, one sentence a line
   * @throws IOException it cannot be written
   */
  public void write(Path folder, List<String> run) throws IOException {
    Path charts = Files.createDirectories(folder.resolve("performance"));
    List<String> lines = new ArrayList<>(List.of("# Performance", ""));
    lines.addAll(run);
    lines.add("");
    lines.addAll(INTRODUCTION);
    lines.addAll(table());
    lines.addAll(List.of("", "## Figures", ""));
    for (Topic topic : topics) {
      lines.addAll(figures(topic, charts));
    }
    Files.write(folder.resolve("performance.md"), lines);
  }

  /**
   * The table alone.
   *
   * @return as Markdown
   */
  public List<String> table() {
    return table(rows);
  }

  /**
   * Those lines of the table that were measured.
   *
   * @return as Markdown
   */
  public List<String> measured() {
    return table(rows.stream().filter(row -> row.quantity().over(results).isPresent()).toList());
  }

  private List<String> table(List<Row> shown) {
    Markdown table =
        new Markdown(
            List.of("question", "of what", "median (smallest–largest)", "target", ""),
            List.of("---", "---", "--:", "--:", "---"));
    String before = "";
    for (Row row : shown) {
      var spread = row.quantity().over(results);
      String same = row.question().equals(before) ? "" : row.question();
      before = row.question();
      table.add(
          same,
          row.quantity().title(),
          spread.map(Spread::toString).orElse("not measured"),
          row.target().text(),
          spread.map(row.target()::verdict).orElse(""));
    }
    return table.lines();
  }

  /** What every contestant did, as numbers and as bars. */
  private List<String> figures(Topic topic, Path charts) throws IOException {
    List<Chart.Bar> bars = new ArrayList<>();
    Markdown table = new Markdown(List.of(topic.title(), topic.unit()), List.of("---", "--:"));
    for (Map<String, String> cell : cells(topic.question())) {
      Contestant contestant = contestant(cell);
      Map<String, String> settings = new TreeMap<>(cell);
      settings.remove("contestant");
      var spread =
          new Quantity.Figure(topic.question(), contestant, settings, Results.SCORE).over(results);
      String label =
          contestant.title()
              + (settings.isEmpty() ? "" : ", " + settings.toString().replaceAll("[{}]", ""));
      spread.ifPresent(s -> bars.add(new Chart.Bar(label, s)));
      table.add(label, spread.map(Spread::toString).orElse(""));
    }
    if (bars.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    if (bars.stream().allMatch(bar -> bar.spread().least() > 0)) {
      new Chart(topic, bars).write(charts.resolve(topic.question() + ".svg"));
      lines.add("![%s](performance/%s.svg)".formatted(topic.title(), topic.question()));
      lines.add("");
    }
    lines.addAll(table.lines());
    lines.add("");
    return lines;
  }

  /** In the order of the contestants' list, whatever order they ran in. */
  private Set<Map<String, String>> cells(String question) {
    Set<Map<String, String>> cells = new LinkedHashSet<>();
    results.all().stream()
        .filter(each -> each.question().equals(question))
        .map(Measurement::parameters)
        .sorted(Comparator.comparingInt(Page::work).thenComparing(Page::contestant))
        .forEach(cells::add);
    return cells;
  }

  private static Contestant contestant(Map<String, String> parameters) {
    return Contestant.valueOf(Objects.requireNonNull(parameters.get("contestant")));
  }

  private static int work(Map<String, String> parameters) {
    return Integer.parseInt(parameters.getOrDefault("work", "0"));
  }
}
