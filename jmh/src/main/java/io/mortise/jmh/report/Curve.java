package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Quantity.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The growth of a question's figure with one of its settings, as a line for each contestant.
 *
 * @param topic the question
 * @param metric JMH's name of the figure
 * @param over the setting
 * @param expected the expected shape, and its reason
 */
public record Curve(Topic topic, String metric, String over, String expected) implements Section {
  @Override
  public List<String> lines(Results results, Path charts) throws IOException {
    SortedSet<Integer> places = new TreeSet<>();
    SortedSet<Contestant> contestants = new TreeSet<>();
    for (Map<String, String> cell : results.cells(topic.question())) {
      places.add(Integer.valueOf(String.valueOf(cell.get(over))));
      contestants.add(Results.contestant(cell));
    }
    if (places.size() < 2) { // a point is no curve
      return List.of();
    }
    Map<Contestant, NavigableMap<Integer, Spread>> lines = new EnumMap<>(Contestant.class);
    for (Contestant each : contestants) {
      lines.put(each, line(results, each, places));
    }
    new LineChart(topic, over, lines).write(charts.resolve(file()));
    List<String> text = new ArrayList<>();
    text.add("![%s, by %s](%s)".formatted(topic.title(), over, file()));
    text.addAll(List.of("", expected, ""));
    text.addAll(table(places, lines));
    text.add("");
    return text;
  }

  private NavigableMap<Integer, Spread> line(
      Results results, Contestant contestant, SortedSet<Integer> places) {
    NavigableMap<Integer, Spread> line = new TreeMap<>();
    for (int place : places) {
      Map<String, String> settings = Map.of(over, String.valueOf(place));
      new Figure(topic.question(), contestant, settings, metric)
          .over(results)
          .ifPresent(spread -> line.put(place, spread));
    }
    return line;
  }

  private List<String> table(
      SortedSet<Integer> places, Map<Contestant, NavigableMap<Integer, Spread>> lines) {
    List<String> titles = new ArrayList<>(List.of(topic.unit() + ", by " + over));
    lines.keySet().forEach(each -> titles.add(each.title()));
    Markdown table = new Markdown(titles, titles.stream().map(title -> "--:").toList());
    for (int place : places) {
      List<String> cells = new ArrayList<>(List.of("%,d".formatted(place)));
      for (NavigableMap<Integer, Spread> line : lines.values()) {
        cells.add(Optional.ofNullable(line.get(place)).map(Spread::toString).orElse(""));
      }
      table.add(cells.toArray(String[]::new));
    }
    return table.lines();
  }

  /** A question may have several curves. */
  private String file() {
    String name = topic.question() + '-' + over;
    return (metric.equals(Results.SCORE) ? name : name + '-' + metric.replaceAll("\\W+", "-"))
        + ".svg";
  }
}
