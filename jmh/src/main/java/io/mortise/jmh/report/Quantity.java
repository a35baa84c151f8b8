package io.mortise.jmh.report;

import io.mortise.jmh.contestant.Contestant;
import io.mortise.jmh.report.Results.Measurement;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** A quantity that each round may have a value of. */
public sealed interface Quantity {
  /**
   * The value of a round.
   *
   * @param results the results of all rounds
   * @param round the round's number
   * @return empty if it was not measured
   */
  OptionalDouble in(Results results, int round);

  /**
   * The contestants of the quantity.
   *
   * @return the name of one contestant, or of two
   */
  String title();

  /**
   * The values of all rounds that have one.
   *
   * @param results the results of all rounds
   * @return empty if no round has a value
   */
  default Optional<Spread> over(Results results) {
    double[] values =
        results.rounds().stream()
            .map(round -> in(results, round))
            .flatMapToDouble(value ->
                value.isPresent() ? DoubleStream.of(value.getAsDouble()) : DoubleStream.empty())
            .toArray();
    return values.length == 0 ? Optional.empty() : Optional.of(Spread.of(values));
  }

  /**
   * One figure of one cell.
   *
   * @param question the question's id
   * @param contestant the contestant
   * @param settings the question's own parameters
   * @param metric JMH's name of the figure
   */
  record Figure(String question, Contestant contestant, Map<String, String> settings, String metric)
      implements Quantity {
    /**
     * Creates the main figure of a question without settings.
     *
     * @param question the question's id
     * @param contestant the contestant
     */
    public Figure(String question, Contestant contestant) {
      this(question, contestant, Map.of(), Results.SCORE);
    }

    /**
     * The same figure of another contestant.
     *
     * @param other the other contestant
     * @return another figure
     */
    public Figure of(Contestant other) {
      return new Figure(question, other, settings, metric);
    }

    /**
     * The same figure in a setting.
     *
     * @param name the name of the setting
     * @param value the value of the setting
     * @return another figure
     */
    public Figure with(String name, Object value) {
      Map<String, String> more = new TreeMap<>(settings);
      more.put(name, String.valueOf(value));
      return new Figure(question, contestant, more, metric);
    }

    /**
     * Another figure of the same cell.
     *
     * @param other JMH's name of the other figure
     * @return another figure
     */
    public Figure metric(String other) {
      return new Figure(question, contestant, settings, other);
    }

    @Override
    public OptionalDouble in(Results results, int round) {
      return results.all().stream()
          .filter(each -> each.round() == round && fits(each))
          .mapToDouble(each -> each.figures().getOrDefault(metric, Double.NaN))
          .filter(value -> !Double.isNaN(value))
          .findFirst();
    }

    private boolean fits(Measurement measurement) {
      return measurement.question().equals(question)
          && contestant.name().equals(measurement.parameters().get(Results.CONTESTANT))
          && measurement.parameters().entrySet().containsAll(settings.entrySet());
    }

    @Override
    public String title() {
      return contestant.title();
    }
  }

  /**
   * The ratio of two quantities of the same round.
   *
   * @param subject the numerator
   * @param base the denominator
   */
  record Ratio(Quantity subject, Quantity base) implements Quantity {
    @Override
    public OptionalDouble in(Results results, int round) {
      OptionalDouble above = subject.in(results, round);
      OptionalDouble below = base.in(results, round);
      return above.isPresent() && below.isPresent() && below.getAsDouble() != 0
          ? OptionalDouble.of(above.getAsDouble() / below.getAsDouble())
          : OptionalDouble.empty();
    }

    @Override
    public String title() {
      boolean same = subject.title().equals(base.title());
      return same ? subject.title() : subject.title() + " / " + base.title();
    }
  }

  /**
   * A quantity in another unit.
   *
   * @param subject the quantity
   * @param factor the factor between the units
   */
  record Scaled(Quantity subject, double factor) implements Quantity {
    @Override
    public OptionalDouble in(Results results, int round) {
      OptionalDouble value = subject.in(results, round);
      return value.isPresent() ? OptionalDouble.of(value.getAsDouble() * factor) : value;
    }

    @Override
    public String title() {
      return subject.title();
    }
  }
}
