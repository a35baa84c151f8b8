package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.internal.engine.Dialog.Patience;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatienceTest {
  @ParameterizedTest(name = "{0}, known {1}, failing for {2} of 30: {3}")
  @CsvSource({
    "NONE,      true,   0, false",
    "LIMITED,   false, 99, true",
    "UNLIMITED, false,  0, false",
    "UNLIMITED, true,   0, true",
    "UNLIMITED, true,  29, true",
    "UNLIMITED, true,  30, false"
  })
  void aWaitAsksAgain(Patience patience, boolean mayBeKnown, long failingFor, boolean again) {
    assertEquals(again, patience.asksAgain(mayBeKnown, failingFor, 30));
  }
}
