package io.mortise.jmh.drive;

import java.nio.file.Path;
import java.util.List;

/** Something that is asked of several contestants in the same way. */
public interface Question {
  /**
   * Names it in files and tables.
   *
   * @return one word
   */
  String id();

  /**
   * All that it can measure.
   *
   * @return in the order to run
   */
  List<Cell> cells();

  /**
   * Which cells are measured together.
   *
   * @param cells some of this question's
   * @return each by itself, unless the question is about several at once
   */
  default List<List<Cell>> sittings(List<Cell> cells) {
    return cells.stream().map(List::of).toList();
  }

  /**
   * Measures the cells of a sitting.
   *
   * @param sitting as {@link #sittings} has it
   * @param effort how long
   * @param file where the result goes, as JMH writes it
   * @throws Exception it could not be measured
   */
  default void measure(List<Cell> sitting, Effort effort, Path file) throws Exception {
    measure(sitting.get(0), effort, file);
  }

  /**
   * Measures one cell once.
   *
   * @param cell one of this question's
   * @param effort how long
   * @param file where the result goes, as JMH writes it
   * @throws Exception it could not be measured
   */
  void measure(Cell cell, Effort effort, Path file) throws Exception;
}
