package io.mortise.jmh.drive;

import java.nio.file.Path;
import java.util.List;

/** A measurement that several contestants can take in the same way. */
public interface Question {
  /**
   * The name in files and tables.
   *
   * @return one word
   */
  String id();

  /**
   * All cells of the question.
   *
   * @return in the order to run
   */
  List<Cell> cells();

  /**
   * Groups cells that are measured together.
   *
   * @param cells some of this question's cells
   * @return each cell by itself, unless the question is about several at once
   */
  default List<List<Cell>> sittings(List<Cell> cells) {
    return cells.stream().map(List::of).toList();
  }

  /**
   * Measures a group of cells.
   *
   * @param sitting one group of {@link #sittings}
   * @param effort how long to measure
   * @param file the result's file, in JMH's format
   * @throws Exception the cells could not be measured
   */
  default void measure(List<Cell> sitting, Effort effort, Path file) throws Exception {
    measure(sitting.get(0), effort, file);
  }

  /**
   * Measures one cell once.
   *
   * @param cell one of this question's cells
   * @param effort how long to measure
   * @param file the result's file, in JMH's format
   * @throws Exception the cell could not be measured
   */
  void measure(Cell cell, Effort effort, Path file) throws Exception;
}
