package io.mortise.jmh.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A part of the long page: the results of one question, as a chart and a table. */
public interface Section {
  /**
   * Writes the chart, and returns the text around it.
   *
   * @param results the results of all questions
   * @param charts the folder of the page and its charts, {@code performance}
   * @return as Markdown; empty if it was not measured
   * @throws IOException the chart cannot be written
   */
  List<String> lines(Results results, Path charts) throws IOException;
}
