package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One contestant in one setting of a question.
 *
 * @param contestant the contestant to measure
 * @param settings the question's own parameters by name, such as {@code work}
 */
public record Cell(Contestant contestant, Map<String, String> settings) {
  /** A cell for each contestant, without settings. */
  static List<Cell> each(Collection<Contestant> contestants) {
    return contestants.stream().map(each -> new Cell(each, Map.of())).toList();
  }

  /** A cell for each contestant and each value of one setting. */
  static List<Cell> each(
      Collection<Contestant> contestants, String setting, Collection<Integer> values) {
    return eachNamed(contestants, setting, values.stream().map(String::valueOf).toList());
  }

  /** As {@link #each(Collection, String, Collection)}, for values that are no numbers. */
  static List<Cell> eachNamed(
      Collection<Contestant> contestants, String setting, Collection<String> values) {
    return values.stream()
        .map(value -> Map.of(setting, value))
        .flatMap(settings -> contestants.stream().map(each -> new Cell(each, settings)))
        .toList();
  }

  /** Whether a setting has that value, or is not a setting of the question. */
  public boolean has(String setting, Object value) {
    String given = settings.get(setting);
    return given == null || given.equals(String.valueOf(value));
  }

  /** The value of a setting that the question has, as a number. */
  int number(String setting) {
    return Integer.parseInt(String.valueOf(settings.get(setting)));
  }

  /** The parameters under JMH's names. */
  Map<String, String> parameters() {
    Map<String, String> all = new TreeMap<>(settings);
    all.put("contestant", contestant.name());
    return all;
  }

  @Override
  public String toString() {
    return contestant.title() + (settings.isEmpty() ? "" : " " + settings);
  }
}
