package io.mortise.jmh.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The orders of a worker. */
class LoadTest {
  @Test
  void aWorkerReadsWhatWasWritten() {
    Load load =
        new Load(Load.Kind.FAIR, 1, 1)
            .with("JVMs", 2)
            .with("threads", 3)
            .with("names", 4)
            .with("work", 5);
    assertEquals(new Load(Load.Kind.FAIR, 2, 3, 4, 5), Load.parse(load.text()));
  }
}
