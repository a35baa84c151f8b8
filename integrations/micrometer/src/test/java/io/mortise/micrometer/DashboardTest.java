package io.mortise.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The dashboard, the alert rules and the page ask for meters that exist, and for all of them. */
class DashboardTest {
  private static final Path DOCS = Path.of("..", "..", "docs");

  /** The labels that Prometheus itself adds. */
  private static final Set<String> TARGET = Set.of("instance", "job");

  /** A meter as Prometheus names it, with its selector if there is one. */
  private static final Pattern USE = Pattern.compile("(mortise_[a-z_]+)(?:\\{([^}]*)})?");

  private static final Pattern LABEL = Pattern.compile("([a-z_]+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern BY = Pattern.compile("by \\(([^)]*)\\)");

  /** The labels of each series that a scenario with every meter has made. */
  private static final Map<String, Set<String>> SCRAPED = new TreeMap<>();

  @BeforeAll
  static void scrapeEveryMeter() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    MortiseMetrics metrics = new MortiseMetrics(registry);
    metrics.scheduled("reports", MortiseMetrics.Run.RAN);
    try (Scene scene = new Scene(metrics)) {
      scene.measured.getLock("orders:1").lock();
      scene.measured.getLock("orders:1").unlock();
      scene.measured.getLock("orders:2").lock();
      scene.advance(Duration.ofSeconds(11));
      scene.other.getLock("orders:2").forceUnlock();
      Scene.await(() -> registry.find("mortise.lock.lost").counter() != null);
      registry
          .scrape()
          .lines()
          .filter(line -> line.startsWith("mortise_"))
          .forEach(line -> add(line));
    }
  }

  private static void add(String line) {
    Matcher series = USE.matcher(line);
    assertTrue(series.lookingAt(), line);
    SCRAPED.computeIfAbsent(series.group(1), name -> new HashSet<>()).addAll(labels(series));
  }

  private static Set<String> labels(Matcher use) {
    Set<String> labels = new HashSet<>();
    if (use.group(2) != null) {
      LABEL
          .matcher(use.group(2).replaceAll("\"[^\"]*\"", ""))
          .results()
          .forEach(found -> labels.add(found.group(1)));
    }
    return labels;
  }

  private static List<String> dashboard() throws IOException {
    List<String> queries = new ArrayList<>();
    collect(
        JsonParser.parseString(Files.readString(DOCS.resolve("grafana/mortise.json"))), queries);
    return queries;
  }

  private static void collect(JsonElement element, List<String> queries) {
    if (element.isJsonArray()) {
      element.getAsJsonArray().forEach(each -> collect(each, queries));
    } else if (element.isJsonObject()) {
      element
          .getAsJsonObject()
          .entrySet()
          .forEach(entry -> {
            boolean text = entry.getValue().isJsonPrimitive();
            if (text && Set.of("expr", "definition").contains(entry.getKey())) {
              queries.add(entry.getValue().getAsString());
            } else {
              collect(entry.getValue(), queries);
            }
          });
    }
  }

  private static String alerts() throws IOException {
    return Files.readString(DOCS.resolve("grafana/mortise-alerts.yml"));
  }

  private static void assertExists(String query) {
    Set<String> labels = new HashSet<>(TARGET);
    Matcher use = USE.matcher(query);
    while (use.find()) {
      Set<String> known = SCRAPED.get(use.group(1));
      assertTrue(known != null, () -> use.group(1) + " is no meter: " + query);
      labels.addAll(known);
      for (String label : labels(use)) {
        assertTrue(
            known.contains(label) || TARGET.contains(label),
            () -> use.group(1) + " has no tag " + label + ": " + query);
      }
    }
    BY.matcher(query)
        .results()
        .flatMap(by -> Stream.of(by.group(1).split(",")))
        .forEach(label -> assertTrue(labels.contains(label.strip()), () -> label + " in " + query));
  }

  @Test
  void theDashboardAsksForMetersAndTagsThatExist() throws IOException {
    List<String> queries = dashboard();
    assertFalse(queries.isEmpty());
    queries.forEach(DashboardTest::assertExists);
  }

  @Test
  void theAlertsAskForMetersAndTagsThatExist() throws IOException {
    List<String> rules = List.of(alerts().split("- alert:", -1));
    assertEquals(3, rules.size() - 1);
    for (String rule : rules.subList(1, 4)) {
      assertTrue(USE.matcher(rule).find(), rule);
      assertExists(rule);
    }
  }

  @Test
  void theDashboardShowsEveryMeter() throws IOException {
    String queries = String.join("\n", dashboard());
    Set<String> missing = new TreeSet<>();
    for (String series : SCRAPED.keySet()) {
      String meter = series.replaceFirst("_(count|sum|max)$", "");
      if (!queries.contains(meter)) {
        missing.add(meter);
      }
    }
    assertEquals(Set.of(), missing);
  }

  @Test
  void thePageListsEveryMeterAndNoOther() throws IOException {
    Set<String> listed = new TreeSet<>();
    Matcher row =
        Pattern.compile("`(mortise_[a-z_]+)`")
            .matcher(Files.readString(DOCS.resolve("metrics.md")));
    while (row.find()) {
      listed.add(row.group(1));
    }
    Set<String> meters = new TreeSet<>();
    SCRAPED.keySet().forEach(name -> meters.add(name.replaceFirst("_(count|sum|max)$", "")));
    assertEquals(meters, listed);
  }
}
