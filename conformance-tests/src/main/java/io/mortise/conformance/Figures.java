package io.mortise.conformance;

/**
 * Figures that a test has measured. A test with a {@link Rule} takes this as a parameter. The
 * report lists the figures below the counts. Thread-safe.
 */
@FunctionalInterface
public interface Figures {
  /**
   * Adds a figure. It replaces an earlier one of the same name.
   *
   * @param what the name with its unit, without a colon
   * @param value one line
   */
  void add(String what, String value);
}
