package io.mortise.jmh.report;

import io.mortise.jmh.question.Steadiness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@code performance.md}, and {@code performance/all.md} with all rows and charts.
 * Everything in them is from the run.
 */
public final class Page {
  private static final List<String> INTRODUCTION =
      List.of(
          "- A *pair* is one lock and one unlock.",
          "- A ratio compares two contestants within one round. Both ran on the same Redis, minutes apart, each in a",
          "  JVM of its own.",
          "- In rows of time, bytes and connections, less is better. In all others, more is.",
          "- The table has the median of all rounds and, in brackets, the smallest and the largest value.",
          "- Pairs per second describe this machine. Most ratios differ less between machines. That of `retain` sends no",
          "  command, so it follows the speed of the processor alone: it was less than half on a slower one.",
          "",
          "[A decision](decisions/0014-how-we-measure.md) says how it is measured, and why.",
          "[All rows](performance/all.md) have their targets, the charts, and how cost grows.",
          "");

  private static final List<String> ALL =
      List.of(
          "# Performance: all rows",
          "",
          "The rows and charts of one run. [Performance](../performance.md) has the machine, how it was measured,",
          "and the rows to decide by.",
          "",
          "- In the rows *alternating in one JVM*, contestants ran seconds apart. Each second counts as a round.",
          "  Trust a ratio that both modes show.",
          "- A target is reached if the median reaches it.",
          "");

  private final Results results;
  private final List<Headline> headlines;
  private final List<Row> rows;
  private final List<Topic> topics;
  private final List<Curve> curves;

  /**
   * Creates a page.
   *
   * @param results the measured results
   * @param headlines the rows of the short table
   * @param rows the rows of the long table
   * @param topics its bar charts
   * @param curves its line charts
   */
  public Page(
      Results results,
      List<Headline> headlines,
      List<Row> rows,
      List<Topic> topics,
      List<Curve> curves) {
    this.results = results;
    this.headlines = headlines;
    this.rows = rows;
    this.topics = topics;
    this.curves = curves;
  }

  /**
   * Writes both pages.
   *
   * @param folder the folder for {@code performance.md} and its folder {@code performance}
   * @param run the facts of the run, one sentence a line
   * @throws IOException a page cannot be written
   */
  public void write(Path folder, List<String> run) throws IOException {
    List<String> lines = new ArrayList<>(List.of("# Performance", ""));
    lines.addAll(run);
    lines.addAll(warmUps());
    lines.add("");
    lines.addAll(INTRODUCTION);
    lines.addAll(shortTable());
    Files.write(folder.resolve("performance.md"), lines);

    Path charts = Files.createDirectories(folder.resolve("performance"));
    List<String> all = new ArrayList<>(ALL);
    all.addAll(table());
    all.addAll(chapter("Figures", topics, charts));
    all.addAll(chapter("How cost grows", curves, charts));
    Files.write(charts.resolve("all.md"), all);
  }

  private List<String> shortTable() {
    Markdown table =
        new Markdown(
            List.of("measurement", "compared with", "Mortise on Jedis", "Mortise on Lettuce"),
            List.of("---", "---", "--:", "--:"));
    for (Headline each : headlines) {
      table.add(each.question(), each.of(), value(each.jedis()), value(each.lettuce()));
    }
    return table.lines();
  }

  private String value(@Nullable Quantity quantity) {
    return quantity == null ? "" : quantity.over(results).map(Spread::toString).orElse("");
  }

  /** The length of the warm-ups, and how many ended before the speed was steady. */
  private List<String> warmUps() {
    DoubleSummaryStatistics seconds =
        results.all().stream()
            .map(each -> each.figures().get(Steadiness.SECONDS))
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .summaryStatistics();
    long moving =
        results.all().stream()
            .map(each -> each.figures().get(Steadiness.DRIFT))
            .filter(drift -> drift != null && drift > Steadiness.TOLERANCE)
            .count();
    return seconds.getCount() == 0
        ? List.of()
        : List.of(
            "Warm-up: %.0f to %.0f s, until the last two seconds differ by at most %.0f %%. %d of %d measurements became steady."
                .formatted(
                    seconds.getMin(),
                    seconds.getMax(),
                    Steadiness.TOLERANCE * 100,
                    seconds.getCount() - moving,
                    seconds.getCount()));
  }

  private List<String> chapter(String title, List<? extends Section> sections, Path charts)
      throws IOException {
    List<String> lines = new ArrayList<>();
    for (Section section : sections) {
      lines.addAll(section.lines(results, charts));
    }
    if (!lines.isEmpty()) {
      lines.addAll(0, List.of("", "## " + title, ""));
    }
    return lines;
  }

  /**
   * The long table alone.
   *
   * @return as Markdown
   */
  public List<String> table() {
    return table(rows);
  }

  /**
   * The measured rows of the long table.
   *
   * @return as Markdown
   */
  public List<String> measured() {
    return table(rows.stream().filter(row -> row.quantity().over(results).isPresent()).toList());
  }

  private List<String> table(List<Row> shown) {
    Markdown table =
        new Markdown(
            List.of("measurement", "contestants", "median (smallest–largest)", "target", ""),
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
}
