package io.mortise.jmh;

import static io.mortise.jmh.contestant.Contestant.MORTISE_JEDIS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.report.Curve;
import io.mortise.jmh.report.Headline;
import io.mortise.jmh.report.Quantity;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import io.mortise.jmh.report.Row;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of questions matches the table. */
class PlanTest {
  private static final URI NOWHERE = URI.create("redis://127.0.0.1:1");

  private final Plan plan = new Plan();

  @Test
  void everyRowIsAboutCellsThatAreMeasured() {
    for (Row row : plan.rows()) {
      figures(row.quantity())
          .forEach(figure ->
              assertTrue(
                  plan.questions().stream().anyMatch(asked -> measures(asked, figure)),
                  row.question() + ": no benchmark measures " + figure));
    }
  }

  @Test
  void everyHeadlineIsARowOfTheLongPage() {
    assertTrue(plan.headlines().size() > 12);
    List<Quantity> all = plan.rows().stream().map(Row::quantity).toList();
    for (Headline headline : plan.headlines()) {
      Stream.of(Optional.ofNullable(headline.jedis()), Optional.ofNullable(headline.lettuce()))
          .flatMap(Optional::stream)
          .forEach(each -> assertTrue(all.contains(each), () -> headline.question() + ": " + each));
    }
  }

  @Test
  void everyCurveIsOverASettingThatVaries() {
    assertFalse(plan.curves().isEmpty());
    for (Curve curve : plan.curves()) {
      long points =
          plan.questions().stream()
              .filter(asked -> asked.question().id().equals(curve.topic().question()))
              .flatMap(asked -> asked.cells(Effort.full(NOWHERE, 3), 1).stream())
              .filter(cell -> cell.contestant() == MORTISE_JEDIS)
              .map(cell -> Objects.requireNonNull(cell.settings().get(curve.over())))
              .distinct()
              .count();
      assertTrue(points >= 4, () -> curve + ": " + points);
    }
  }

  @Test
  void questionsHaveNamesOfTheirOwn() {
    List<String> names = plan.questions().stream().map(asked -> asked.question().id()).toList();
    assertEquals(names.size(), new HashSet<>(names).size(), names::toString);
  }

  @Test
  void aFirstImpressionAsksLessAndNothingElse() {
    for (Asked asked : plan.questions()) {
      List<Cell> all = asked.cells(Effort.full(NOWHERE, 3), 1);
      assertTrue(all.containsAll(asked.cells(Effort.quick(NOWHERE), 1)), asked::toString);
      assertFalse(all.isEmpty(), asked::toString);
    }
  }

  @Test
  void everyCellIsMeasuredInAtLeastOneRoundOfAFullRun() {
    for (Asked asked : plan.questions()) {
      List<Cell> all = asked.cells(Effort.full(NOWHERE, 3), 1);
      assertEquals(all, asked.cells(Effort.full(NOWHERE, 1), 1), asked::toString);
    }
  }

  @Test
  void someQuestionsCanBeChosen() {
    assertEquals(plan.questions(), plan.questions(List.of()));
    assertEquals(
        List.of("OwnLock", "Idle"),
        plan.questions(List.of("Idle", "OwnLock")).stream()
            .map(asked -> asked.question().id())
            .toList());
    assertThrows(IllegalArgumentException.class, () -> plan.questions(List.of("Nobody")));
  }

  private static boolean measures(Asked asked, Figure figure) {
    return asked.question().id().equals(figure.question())
        && asked.cells(Effort.full(NOWHERE, 3), 1).stream()
            .anyMatch(cell ->
                cell.contestant() == figure.contestant()
                    && cell.settings().entrySet().containsAll(figure.settings().entrySet()));
  }

  private static Stream<Figure> figures(Quantity quantity) {
    if (quantity instanceof Ratio ratio) {
      return Stream.concat(figures(ratio.subject()), figures(ratio.base()));
    }
    if (quantity instanceof Scaled scaled) {
      return figures(scaled.subject());
    }
    return Stream.of((Figure) quantity);
  }
}
