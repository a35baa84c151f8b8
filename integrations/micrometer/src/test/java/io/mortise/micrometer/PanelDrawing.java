package io.mortise.micrometer;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One panel as SVG, drawn at the origin.
 *
 * @param unit Grafana's name of it: {@code s}, {@code ops} or {@code short}
 * @param width in pixels, with the gap to the next panel
 * @param height in pixels, with the gap to the next panel
 * @param seconds the time shown
 */
record PanelDrawing(
    String title, String unit, int width, int height, long seconds, List<Series> series) {
  private static final String[] COLOURS = {
    "#3274d9", "#e0752d", "#37872d", "#a352cc", "#c4162a", "#b8860b", "#008b8b", "#8f3bb8",
    "#666666", "#d05fa2", "#5a8f00", "#1f60c4"
  };

  private static final int GAP = 8;
  private static final int LEFT = 52;
  private static final int HEAD = 34;
  private static final int LEGEND_ROW = 15;
  private static final int COLUMNS = 3;
  private static final int LINES = 4;
  private static final int LONG_NAME = 17;

  /** A line of a panel. */
  record Series(String title, List<Point> points) {
    double largest() {
      return points.stream().mapToDouble(Point::value).max().orElse(0);
    }
  }

  /**
   * A value.
   *
   * @param when in seconds after the start
   */
  record Point(double when, double value) {}

  /** The picture around the panels. */
  static String page(int width, int height, long seconds, String panels) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="11">
    <rect width="%1$d" height="%2$d" fill="#f4f5f5"/>
    <text x="8" y="26" font-size="18" font-weight="bold">Mortise locks: a contended run of %3$d s</text>
    <text x="8" y="48" fill="#555">The dashboard's own queries, evaluated by Prometheus and drawn by a test class. This is not a picture of Grafana. Series that are 0 all the time are left out.</text>
    %4$s</svg>
    """
        .formatted(width, height, seconds, panels);
  }

  /** The last value, large. */
  String number() {
    double last =
        series.isEmpty() || series.get(0).points().isEmpty()
            ? 0
            : series.get(0).points().get(series.get(0).points().size() - 1).value();
    return frame()
        + "<text x=\"%d\" y=\"%d\" font-size=\"34\" text-anchor=\"middle\">%s</text>"
            .formatted(width / 2, height / 2 + 24, text(last));
  }

  /** All series over the time. */
  String lines() {
    List<Series> shown =
        series.stream()
            .filter(each -> each.largest() > 0)
            .sorted(Comparator.comparingDouble(Series::largest).reversed())
            .toList();
    int legend = (shown.size() + COLUMNS - 1) / COLUMNS * LEGEND_ROW + 8;
    int base = height - GAP - legend - 18;
    double top = round(shown.stream().mapToDouble(Series::largest).max().orElse(1));
    StringBuilder svg = new StringBuilder(frame()).append(scale(top, base));
    for (int i = 0; i < shown.size(); i++) {
      String colour = COLOURS[i % COLOURS.length];
      svg.append(line(shown.get(i), colour, top, base));
      int x = 14 + i % COLUMNS * (width - 20) / COLUMNS;
      int y = base + 30 + i / COLUMNS * LEGEND_ROW;
      svg.append(
          "<rect x=\"%d\" y=\"%d\" width=\"9\" height=\"3\" fill=\"%s\"/>"
              .formatted(x, y - 4, colour));
      String name = shown.get(i).title();
      svg.append(
          "<text x=\"%d\" y=\"%d\" font-size=\"%d\">%s</text>"
              .formatted(x + 13, y, name.length() > LONG_NAME ? 9 : 11, name));
    }
    return svg.toString();
  }

  private String frame() {
    return "<rect width=\"%d\" height=\"%d\" fill=\"#fff\" stroke=\"#d8d9da\"/>"
            .formatted(width - GAP, height - GAP)
        + "<text x=\"10\" y=\"18\" font-size=\"13\" font-weight=\"bold\">%s</text>"
            .formatted(title);
  }

  private String scale(double top, int base) {
    StringBuilder svg = new StringBuilder();
    for (int i = 0; i <= LINES; i++) {
      int y = base - (base - HEAD) * i / LINES;
      svg.append("<path d=\"M%d,%dH%d\" stroke=\"#e5e5e5\"/>".formatted(LEFT, y, width - GAP - 10));
      svg.append(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#555\">%s</text>"
              .formatted(LEFT - 5, y + 4, text(top * i / LINES)));
    }
    for (int i = 0; i <= LINES; i++) {
      int x = LEFT + (width - GAP - 10 - LEFT) * i / LINES;
      svg.append(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%d s</text>"
              .formatted(x, base + 14, seconds * i / LINES));
    }
    return svg.toString();
  }

  private String line(Series each, String colour, double top, int base) {
    int wide = width - GAP - 10 - LEFT;
    String points =
        each.points().stream()
            .map(point ->
                x(point, wide) + "," + Math.round(base - point.value() / top * (base - HEAD)))
            .collect(Collectors.joining(" "));
    return "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\"/>"
        .formatted(points, colour);
  }

  private long x(Point point, int wide) {
    return LEFT + Math.round(point.when() / seconds * wide);
  }

  /** The next of 1, 2, 4, 5 or 8 times a power of ten. */
  private static double round(double largest) {
    double power = Math.pow(10, Math.floor(Math.log10(largest)));
    for (double each : new double[] {1, 2, 4, 5, 8}) {
      if (largest <= each * power) {
        return each * power;
      }
    }
    return 10 * power;
  }

  private String text(double value) {
    boolean millis = unit.equals("s") && value > 0 && value < 1;
    double shown = millis ? value * 1000 : value;
    String number =
        shown < 10
            ? String.format(Locale.ROOT, "%.2f", shown).replaceFirst("\\.?0+$", "")
            : String.format(Locale.ROOT, "%.0f", shown);
    return number
        + switch (unit) {
          case "s" -> millis ? " ms" : " s";
          case "ops" -> "/s";
          default -> "";
        };
  }
}
