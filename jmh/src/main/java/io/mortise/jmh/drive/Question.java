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
   * What to measure in one round.
   *
   * @param effort a quick one may leave some out
   * @return in the order to run
   */
  List<Cell> cells(Effort effort);

  /**
   * In how many rounds it is asked.
   *
   * @param effort how much is meant
   * @return one or more
   */
  default int rounds(Effort effort) {
    return effort.rounds();
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
