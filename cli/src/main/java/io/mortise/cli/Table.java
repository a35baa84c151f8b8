package io.mortise.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Text in columns as wide as their widest cell. The first columns are aligned left, the numbers
 * right.
 */
final class Table {
  private static final String GAP = "  ";

  private final int textColumns;
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with a header. The first columns hold text, the others numbers. */
  Table(int textColumns, String... header) {
    this.textColumns = textColumns;
    rows.add(List.of(header));
  }

  Table row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + rows.get(0));
    }
    rows.add(List.of(cells));
    return this;
  }

  /** One line for the header, one of dashes, and one for each row. No line ends in a blank. */
  List<String> lines() {
    int[] widths =
        IntStream.range(0, rows.get(0).size())
            .map(column ->
                rows.stream().mapToInt(row -> Text.columns(row.get(column))).max().orElse(0))
            .toArray();
    List<String> lines = new ArrayList<>(rows.stream().map(row -> line(row, widths)).toList());
    lines.add(1, IntStream.of(widths).mapToObj("-"::repeat).collect(Collectors.joining(GAP)));
    return lines;
  }

  /** The lines as far as they fit. */
  List<String> lines(int columns) {
    return lines().stream().map(line -> Text.cut(line, columns)).toList();
  }

  private String line(List<String> row, int[] widths) {
    return IntStream.range(0, widths.length)
        .mapToObj(column -> {
          String pad = " ".repeat(widths[column] - Text.columns(row.get(column)));
          return column < textColumns ? row.get(column) + pad : pad + row.get(column);
        })
        .collect(Collectors.joining(GAP))
        .stripTrailing();
  }
}
