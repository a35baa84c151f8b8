package io.mortise.jmh.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table as Markdown. */
final class Markdown {
  private final List<String> lines = new ArrayList<>();

  /** Creates a table with columns and their alignment: {@code ---} or {@code --:}. */
  Markdown(List<String> titles, List<String> sets) {
    lines.add(line(titles));
    lines.add("|" + String.join("|", sets) + "|");
  }

  void add(String... cells) {
    lines.add(line(Arrays.asList(cells)));
  }

  private static String line(List<String> cells) {
    return "| "
        + String.join(" | ", cells.stream().map(cell -> cell.replace("|", "\\|")).toList())
        + " |";
  }

  List<String> lines() {
    return lines;
  }
}
