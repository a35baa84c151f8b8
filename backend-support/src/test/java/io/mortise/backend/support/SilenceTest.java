package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SilenceTest {
  private final Silence silence = new Silence();

  private void threePeriodsAreFew() {
    for (int i = 0; i < 3; i++) {
      assertFalse(silence.beat());
    }
  }

  @Test
  void threePeriodsOfSilenceAreTooLong() {
    threePeriodsAreFew();
    assertTrue(silence.beat());
  }

  @Test
  void aWordEndsIt() {
    threePeriodsAreFew();
    silence.end();
    threePeriodsAreFew();
    assertTrue(silence.beat());
  }
}
