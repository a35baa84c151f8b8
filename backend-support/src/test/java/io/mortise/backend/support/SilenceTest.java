package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SilenceTest {
  private final Silence silence = new Silence();

  private void threeBeatsAreFew() {
    for (int i = 0; i < 3; i++) {
      assertFalse(silence.beat());
    }
  }

  @Test
  void threeBeatsWithoutAWordAreTooLong() {
    threeBeatsAreFew();
    assertTrue(silence.beat());
  }

  @Test
  void aWordEndsIt() {
    threeBeatsAreFew();
    silence.end();
    threeBeatsAreFew();
    assertTrue(silence.beat());
  }
}
