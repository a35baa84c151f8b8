package io.mortise.jmh;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Question;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * A question, and how it is measured.
 *
 * @param question the measurement
 * @param some selects the cells to measure
 * @param first selects the cells that belong to a quick run
 * @param fewer how many rounds less than all a cell is measured in
 * @param pinned selects the cells that are measured on the server's processor
 */
record Asked(
    Question question,
    Predicate<Cell> some,
    Predicate<Cell> first,
    ToIntFunction<Cell> fewer,
    Predicate<Cell> pinned) {

  /** All cells, in every round, on any processor. */
  static Asked of(Question question) {
    return new Asked(question, cell -> true, cell -> true, cell -> 0, cell -> false);
  }

  Asked some(Predicate<Cell> cells) {
    return new Asked(question, cells, first, fewer, pinned);
  }

  Asked first(Predicate<Cell> cells) {
    return new Asked(question, some, cells, fewer, pinned);
  }

  Asked fewer(ToIntFunction<Cell> rounds) {
    return new Asked(question, some, first, rounds, pinned);
  }

  /** In one round less. A quick run includes the question. */
  Asked lessOften() {
    return fewer(cell -> 1);
  }

  /** In one round. A quick run leaves the question out. */
  Asked once() {
    return fewer(cell -> 2);
  }

  Asked pinned(Predicate<Cell> cells) {
    return new Asked(question, some, first, fewer, cells);
  }

  /** The cells to measure in a round; rounds are counted from 1. */
  List<Cell> cells(Effort effort, int round) {
    return question.cells().stream()
        .filter(some)
        .filter(cell -> !effort.quick() || first.test(cell))
        .filter(cell -> round <= rounds(effort, cell))
        .toList();
  }

  /**
   * In a quick run, cells that are usually measured often are measured once, and the others not at
   * all.
   */
  private int rounds(Effort effort, Cell cell) {
    int less = fewer.applyAsInt(cell);
    return effort.quick() ? 2 - less : Math.max(1, effort.rounds() - less);
  }
}
