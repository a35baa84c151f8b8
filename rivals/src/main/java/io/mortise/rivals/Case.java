package io.mortise.rivals;

/** One test of a lock, and the expected result, in a sentence. */
record Case(String sentence, Trial trial) {
  /** Runs the case, and returns the finding. */
  interface Trial {
    Finding run(Stage stage) throws Exception;
  }
}
