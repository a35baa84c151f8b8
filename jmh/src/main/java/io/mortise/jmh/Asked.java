package io.mortise.jmh;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Question;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * A question, and how it is asked.
 *
 * @param question what is measured
 * @param some which of its cells
 * @param first which of them are part of the first impression
 * @param fewer in how many rounds less than all a cell is measured
 * @param pinned which of them are measured on the server's processor
 */
record Asked(
    Question question,
    Predicate<Cell> some,
    Predicate<Cell> first,
    ToIntFunction<Cell> fewer,
    Predicate<Cell> pinned) {

  /** All its cells, in every round, on any processor. */
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

  /** With one round less, though not in a quick run. */
  Asked lessOften() {
    return fewer(cell -> 1);
  }

  /** In one round, and not in a quick run. */
  Asked once() {
    return fewer(cell -> 2);
  }

  Asked pinned(Predicate<Cell> cells) {
    return new Asked(question, some, first, fewer, cells);
  }

  /** What to measure in a round; rounds are counted from 1. */
  List<Cell> cells(Effort effort, int round) {
    return question.cells().stream()
        .filter(some)
        .filter(cell -> !effort.quick() || first.test(cell))
        .filter(cell -> round <= rounds(effort, cell))
        .toList();
  }

  /** In a quick run a cell that is measured often is measured once, and another not at all. */
  private int rounds(Effort effort, Cell cell) {
    int less = fewer.applyAsInt(cell);
    return effort.quick() ? 2 - less : Math.max(1, effort.rounds() - less);
  }
}
