package io.mortise.cli;

import java.util.ArrayList;
import java.util.List;

/** The lines of {@code top}. */
final class TopScreen {
  private static final int WIDE = 72;
  private static final int NARROW = 44;
  private static final int BAR = 10;
  private static final double LOW = 0.34;
  private static final String BOLD = "\033[1m";
  private static final String RED = "\033[31m";
  private static final String GREEN = "\033[32m";
  private static final String PLAIN = "\033[0m";

  private final int columns;
  private final boolean colours;

  TopScreen(int columns, boolean colours) {
    this.columns = columns;
    this.colours = colours;
  }

  /** All lines, each at most as wide as the screen. */
  List<String> lines(List<Sighting> sightings, int limit) {
    List<String> lines = new ArrayList<>();
    lines.add(paint(BOLD, Text.cut(title(sightings, limit), columns)));
    Table table = table();
    sightings.forEach(each -> table.row(cells(each)));
    int row = -2; // the header and the line below it
    for (String line : table.lines(columns)) {
      boolean low = row >= 0 && sightings.get(row).share() < LOW;
      boolean waited = row >= 0 && !sightings.get(row).lock().waiters().isEmpty();
      lines.add(low ? paint(RED, line) : waited ? paint(GREEN, line) : line);
      row++;
    }
    return lines;
  }

  private String paint(String colour, String line) {
    return colours ? colour + line + PLAIN : line;
  }

  private static String title(List<Sighting> sightings, int limit) {
    int waiters = sightings.stream().mapToInt(each -> each.lock().waiters().size()).sum();
    String more = sightings.size() == limit ? " or more" : "";
    return "%,d%s held, %,d waiting".formatted(sightings.size(), more, waiters);
  }

  private Table table() {
    if (columns < NARROW) {
      return new Table(1, "lock", "left", "wait");
    }
    return columns < WIDE
        ? new Table(2, "lock", "held by", "left", "wait")
        : new Table(5, "lock", "kind", "held by", "for", "lease", "left", "waiters");
  }

  private String[] cells(Sighting sighting) {
    String[] all = LockView.cells(sighting.lock());
    if (columns < NARROW) {
      return new String[] {Text.cut(all[0], Math.max(4, columns - 14)), all[3], all[4]};
    }
    if (columns < WIDE) {
      int half = (columns - 16) / 2;
      return new String[] {Text.cut(all[0], half), Text.cut(all[2], half), all[3], all[4]};
    }
    int room = columns - 50;
    return new String[] {
      Text.cut(all[0], room / 2 + room % 2),
      all[1],
      Text.cut(all[2], room / 2),
      sighting.heldText(),
      bar(sighting.share()),
      all[3],
      all[4]
    };
  }

  private static String bar(double share) {
    int full = (int) Math.round(Math.min(1, share) * BAR);
    return "#".repeat(full) + ".".repeat(BAR - full);
  }
}
