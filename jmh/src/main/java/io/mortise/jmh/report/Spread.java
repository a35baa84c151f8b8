package io.mortise.jmh.report;

import java.util.Arrays;
import java.util.Locale;

/**
 * One figure of several rounds.
 *
 * @param median the value in the middle
 * @param least the smallest value
 * @param most the largest value
 * @param rounds the number of values
 */
public record Spread(double median, double least, double most, int rounds) {
  /**
   * The spread of some values.
   *
   * @param values at least one, in any order
   * @return their spread
   */
  public static Spread of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** Three significant digits. A number of a thousand or more has all its digits. */
  static String number(double value) {
    double size = Math.abs(value);
    String format =
        size >= 100 ? "%,.0f" : size >= 9.995 ? "%.1f" : size >= 0.0995 ? "%.2f" : "%.4f";
    return value == 0 ? "0" : String.format(Locale.ROOT, format, value);
  }

  @Override
  public String toString() {
    String middle = number(median);
    return rounds == 1 ? middle : "%s (%s–%s)".formatted(middle, number(least), number(most));
  }
}
