package io.mortise.jmh.memory;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The figures of all trials. */
final class Findings {
  private record Trialled(Subject subject, Contestant contestant, Map<Figure, Double> figures) {}

  private final List<Trialled> trials = new ArrayList<>();

  void add(Subject subject, Contestant contestant, Map<Figure, Double> figures) {
    trials.add(new Trialled(subject, contestant, new EnumMap<>(figures)));
  }

  /** Whether there is any figure of a subject. */
  boolean has(Subject subject) {
    return trials.stream().anyMatch(each -> each.subject == subject);
  }

  /** The median and the spread as text; a dash if there is no such figure. */
  String text(Subject subject, Contestant contestant, Figure figure) {
    double[] values =
        trials.stream()
            .filter(each -> isOf(each, subject, contestant))
            .map(each -> each.figures.get(figure))
            .filter(Objects::nonNull)
            .mapToDouble(value -> value)
            .toArray();
    if (values.length == 0) {
      return "–";
    }
    Spread spread = Spread.of(values);
    return spread.least() == spread.most()
        ? Spread.of(new double[] {spread.median()}).toString()
        : spread.toString();
  }

  private static boolean isOf(Trialled each, Subject subject, Contestant contestant) {
    return each.subject == subject && each.contestant == contestant;
  }
}
