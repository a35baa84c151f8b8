package io.mortise.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Question;
import io.mortise.jmh.report.Quantity;
import io.mortise.jmh.report.Quantity.Figure;
import io.mortise.jmh.report.Quantity.Ratio;
import io.mortise.jmh.report.Quantity.Scaled;
import io.mortise.jmh.report.Row;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of questions and the table belong together. */
class PlanTest {
  private static final URI NOWHERE = URI.create("redis://127.0.0.1:1");

  private final Plan plan = new Plan();

  @Test
  void everyRowIsAboutCellsThatAreMeasured() {
    for (Row row : plan.rows()) {
      figures(row.quantity())
          .forEach(figure ->
              assertTrue(
                  plan.questions().stream().anyMatch(question -> measures(question, figure)),
                  row.question() + ": nobody measures " + figure));
    }
  }

  @Test
  void questionsHaveNamesOfTheirOwn() {
    List<String> names = plan.questions().stream().map(Question::id).toList();
    assertEquals(names.size(), new HashSet<>(names).size(), names::toString);
  }

  @Test
  void aFirstImpressionAsksLessAndNothingElse() {
    for (Question question : plan.questions()) {
      List<Cell> all = question.cells(Effort.full(NOWHERE));
      List<Cell> quick = question.cells(Effort.quick(NOWHERE));
      assertTrue(all.containsAll(quick), question.id());
      assertTrue(quick.size() > 0 && question.rounds(Effort.quick(NOWHERE)) > 0, question.id());
    }
  }

  private static boolean measures(Question question, Figure figure) {
    return question.id().equals(figure.question())
        && question.cells(Effort.full(NOWHERE)).stream()
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
