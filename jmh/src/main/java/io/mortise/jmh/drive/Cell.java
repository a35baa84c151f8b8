package io.mortise.jmh.drive;

import io.mortise.jmh.contestant.Contestant;
import java.util.Map;
import java.util.TreeMap;

/**
 * One contestant in one setting of a question.
 *
 * @param contestant who is asked
 * @param settings the question's own parameters by name, such as {@code work}
 */
public record Cell(Contestant contestant, Map<String, String> settings) {
  /** Whether a setting has that value, or is not one of the question's. */
  public boolean has(String setting, String value) {
    return value.equals(settings.getOrDefault(setting, value));
  }

  /** What JMH would call its parameters. */
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
