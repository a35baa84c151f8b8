package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Quantity.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A question as a bar for each contestant and setting.
 *
 * @param question the question's id
 * @param title the measurement, in words
 * @param unit the unit of the main figure
 */
public record Topic(String question, String title, String unit) implements Section {
  @Override
  public List<String> lines(Results results, Path charts) throws IOException {
    List<Chart.Bar> bars = new ArrayList<>();
    Markdown table = new Markdown(List.of(title, unit), List.of("---", "--:"));
    for (Map<String, String> cell : results.cells(question)) {
      Contestant contestant = Results.contestant(cell);
      Map<String, String> settings = new TreeMap<>(cell);
      settings.remove(Results.CONTESTANT);
      String setting = words(settings);
      String label = contestant.title() + (setting.isEmpty() ? "" : ", " + setting);
      var spread = new Figure(question, contestant, settings, Results.SCORE).over(results);
      spread.ifPresent(s -> bars.add(new Chart.Bar(contestant, setting, s)));
      table.add(label, spread.map(Spread::toString).orElse(""));
    }
    if (bars.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    if (bars.stream().allMatch(bar -> bar.spread().least() > 0)) {
      new Chart(this, bars).write(charts.resolve(question + ".svg"));
      lines.add("![%s](%s.svg)".formatted(title, question));
      lines.add("");
    }
    lines.addAll(table.lines());
    lines.add("");
    return lines;
  }

  /** Such as {@code work: 20 µs}. */
  private static String words(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(each -> each.getKey() + ": " + each.getValue() + unitOf(each.getKey()))
        .collect(Collectors.joining(", "));
  }

  private static String unitOf(String setting) {
    return setting.equals("work") ? " µs" : "";
  }
}
