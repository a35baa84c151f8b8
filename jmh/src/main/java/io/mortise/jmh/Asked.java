package io.mortise.jmh;

import io.mortise.jmh.drive.Cell;
import io.mortise.jmh.drive.Effort;
import io.mortise.jmh.drive.Pin.Processors;
import io.mortise.jmh.drive.Question;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * A question, and how it is measured.
 *
 * @param question the measurement
 * @param some selects the cells to measure
 * @param first selects the cells that belong to a quick run
 * @param fewer how many rounds less than all a cell is measured in
 * @param on the processors on which a cell is measured
 */
record Asked(
    Question question,
    Predicate<Cell> some,
    Predicate<Cell> first,
    ToIntFunction<Cell> fewer,
    Function<Cell, Processors> on) {

  /** All cells, in every round, on any processor. */
  static Asked of(Question question) {
    return new Asked(question, cell -> true, cell -> true, cell -> 0, cell -> Processors.ANY);
  }

  Asked some(Predicate<Cell> cells) {
    return new Asked(question, cells, first, fewer, on);
  }

  Asked first(Predicate<Cell> cells) {
    return new Asked(question, some, cells, fewer, on);
  }

  Asked fewer(ToIntFunction<Cell> rounds) {
    return new Asked(question, some, first, rounds, on);
  }

  /** In one round less. A quick run includes the question. */
  Asked lessOften() {
    return fewer(cell -> 1);
  }

  /** In one round. A quick run leaves the question out. */
  Asked once() {
    return fewer(cell -> 2);
  }

  /** With these cells on the server's processor. */
  Asked pinned(Predicate<Cell> cells) {
    return on(cell -> cells.test(cell) ? Processors.ONE : Processors.ANY);
  }

  /** With the server alone on a processor. */
  Asked apart() {
    return on(cell -> Processors.APART);
  }

  private Asked on(Function<Cell, Processors> processors) {
    return new Asked(question, some, first, fewer, processors);
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
