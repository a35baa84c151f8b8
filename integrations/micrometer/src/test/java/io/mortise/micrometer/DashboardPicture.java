package io.mortise.micrometer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws the Grafana dashboard of a {@link ContendedRun}: Prometheus evaluates the queries of each
 * panel, and their series become lines. It is no Grafana. {@code docs/metrics.md} has the picture.
 */
final class DashboardPicture {
  private static final Path FOLDER = Path.of("..", "..", "docs", "grafana");
  private static final Pattern LABEL = Pattern.compile("\\{\\{(\\w+)}}");
  private static final int STEP = 2;
  private static final int COLUMN = 50;
  private static final int ROW = 30;
  private static final int TOP = 64;

  private final Prometheus prometheus;
  private final long from;
  private final long to;

  private DashboardPicture(Prometheus prometheus, long from, long to) {
    this.prometheus = prometheus;
    this.from = from;
    this.to = to;
  }

  /**
   * Runs and draws.
   *
   * @param arguments the length of the run, in seconds
   */
  public static void main(String[] arguments) throws Exception {
    Duration length = Duration.ofSeconds(Long.parseLong(arguments[0]));
    Path data = Files.createTempDirectory("mortise-dashboard");
    try (ContendedRun run = new ContendedRun();
        Prometheus prometheus =
            Prometheus.start(run.targets(), FOLDER.resolve("mortise-alerts.yml"), data)) {
      long from = System.currentTimeMillis() / 1000;
      run.run(length);
      DashboardPicture picture =
          new DashboardPicture(prometheus, from, System.currentTimeMillis() / 1000);
      Files.writeString(FOLDER.resolve("contended-run.svg"), picture.draw());
      picture.alerts().forEach(System.out::println);
    }
  }

  private String draw() throws IOException, InterruptedException {
    JsonObject dashboard =
        JsonParser.parseString(Files.readString(FOLDER.resolve("mortise.json"))).getAsJsonObject();
    StringBuilder panels = new StringBuilder();
    int bottom = 0;
    for (JsonElement each : dashboard.getAsJsonArray("panels")) {
      JsonObject panel = each.getAsJsonObject();
      JsonObject place = panel.getAsJsonObject("gridPos");
      int y = TOP + number(place, "y") * ROW;
      int height = number(place, "h") * ROW;
      PanelDrawing drawing =
          new PanelDrawing(
              panel.get("title").getAsString(),
              unit(panel),
              number(place, "w") * COLUMN,
              height,
              to - from,
              series(panel));
      panels.append("<g transform=\"translate(%d,%d)\">".formatted(number(place, "x") * COLUMN, y));
      panels.append(
          panel.get("type").getAsString().equals("stat") ? drawing.number() : drawing.lines());
      panels.append("</g>\n");
      bottom = Math.max(bottom, y + height);
    }
    return PanelDrawing.page(24 * COLUMN, bottom, to - from, panels.toString());
  }

  private static int number(JsonObject object, String name) {
    return object.get(name).getAsInt();
  }

  private static String unit(JsonObject panel) {
    return panel
        .getAsJsonObject("fieldConfig")
        .getAsJsonObject("defaults")
        .get("unit")
        .getAsString();
  }

  private List<PanelDrawing.Series> series(JsonObject panel)
      throws IOException, InterruptedException {
    List<PanelDrawing.Series> all = new ArrayList<>();
    for (JsonElement target : panel.getAsJsonArray("targets")) {
      JsonObject query = target.getAsJsonObject();
      for (JsonElement each : range(query.get("expr").getAsString())) {
        JsonObject found = each.getAsJsonObject();
        String title =
            title(query.get("legendFormat").getAsString(), found.getAsJsonObject("metric"));
        all.add(new PanelDrawing.Series(title, points(found.getAsJsonArray("values"))));
      }
    }
    return all;
  }

  /** The series, with Grafana's variables as it sets them for this time, and all instances. */
  private JsonArray range(String query) throws IOException, InterruptedException {
    String set =
        query
            .replace("$__rate_interval", "4s")
            .replace("$__range", (to - from) + "s")
            .replace("$instance", ".*")
            .replace("$group", ".*");
    return prometheus.range(set, from, to, STEP);
  }

  private static String title(String format, JsonObject labels) {
    Matcher label = LABEL.matcher(format);
    return label.replaceAll(
        found -> labels.has(found.group(1)) ? labels.get(found.group(1)).getAsString() : "");
  }

  private List<PanelDrawing.Point> points(JsonArray values) {
    List<PanelDrawing.Point> points = new ArrayList<>();
    for (JsonElement each : values) {
      JsonArray pair = each.getAsJsonArray();
      double value = Double.parseDouble(pair.get(1).getAsString());
      if (Double.isFinite(value)) {
        points.add(new PanelDrawing.Point(pair.get(0).getAsDouble() - from, value));
      }
    }
    return points;
  }

  /** The alerts that were pending or firing, with the seconds after the start. */
  private List<String> alerts() throws IOException, InterruptedException {
    List<String> alerts = new ArrayList<>();
    for (JsonElement each : prometheus.range("ALERTS", from, to, 1)) {
      JsonArray times = each.getAsJsonObject().getAsJsonArray("values");
      alerts.add(
          "%s from %d s to %d s"
              .formatted(
                  each.getAsJsonObject().get("metric"),
                  seconds(times.get(0)),
                  seconds(times.get(times.size() - 1))));
    }
    return alerts;
  }

  private long seconds(JsonElement value) {
    return value.getAsJsonArray().get(0).getAsLong() - from;
  }
}
