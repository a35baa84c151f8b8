package io.mortise.conformance;

/**
 * What a test has measured. A test with a {@link Rule} takes it as a parameter; the figures stand
 * in the rules' report, below the counts. Thread-safe.
 */
@FunctionalInterface
public interface Figures {
  /**
   * Notes a figure; one of the same name that was noted before is replaced.
   *
   * @param what its name with its unit, without a colon
   * @param value one line
   */
  void add(String what, String value);
}
