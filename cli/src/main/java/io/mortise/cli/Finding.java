package io.mortise.cli;

/**
 * What a check found.
 *
 * @param check the name of the check
 * @param verdict what it means
 * @param text the finding, and what to do
 */
record Finding(String check, Verdict verdict, String text) {
  /** What a finding means. */
  enum Verdict {
    OK,
    NOTE,
    PROBLEM
  }

  static Finding ok(String check, String text) {
    return new Finding(check, Verdict.OK, text);
  }

  static Finding note(String check, String text) {
    return new Finding(check, Verdict.NOTE, text);
  }

  static Finding problem(String check, String text) {
    return new Finding(check, Verdict.PROBLEM, text);
  }
}
