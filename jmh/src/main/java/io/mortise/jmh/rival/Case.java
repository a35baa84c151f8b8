package io.mortise.jmh.rival;

/** One test of a lock, and the expected result, in a sentence. */
record Case(String sentence, Trial trial) {
  /** Runs the case, and returns the finding. */
  interface Trial {
    Finding run(CaseSetup stage) throws Exception;
  }
}
