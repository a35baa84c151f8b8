package io.mortise.rivals;

/** One thing that is done with a lock, and what may come of it, in a sentence. */
record Case(String sentence, Trial trial) {
  /** Does it, and tells what was seen. */
  interface Trial {
    Finding run(Stage stage) throws Exception;
  }
}
