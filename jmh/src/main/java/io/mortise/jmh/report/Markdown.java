package io.mortise.jmh.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table as Markdown. */
public final class Markdown {
  private final List<String> lines = new ArrayList<>();

  /**
   * Creates a table.
   *
   * @param titles of the columns
   * @param sets their alignment: {@code ---} or {@code --:}
   */
  public Markdown(List<String> titles, List<String> sets) {
    lines.add(line(titles));
    lines.add("|" + String.join("|", sets) + "|");
  }

  /**
   * Adds a row.
   *
   * @param cells of the row, as text
   */
  public void add(String... cells) {
    lines.add(line(Arrays.asList(cells)));
  }

  private static String line(List<String> cells) {
    return "| "
        + String.join(" | ", cells.stream().map(cell -> cell.replace("|", "\\|")).toList())
        + " |";
  }

  /**
   * The table.
   *
   * @return its lines
   */
  public List<String> lines() {
    return lines;
  }
}
