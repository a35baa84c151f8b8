package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryRuleTest {
  @ParameterizedTest(name = "waits {0}, limited {1}, known {2}, failing for {3} of 30: {4}")
  @CsvSource({
    "false, false, true,   0, false",
    "false, true,  true,   0, false",
    "true,  true,  false, 99, true",
    "true,  false, false,  0, false",
    "true,  false, true,   0, true",
    "true,  false, true,  29, true",
    "true,  false, true,  30, false"
  })
  void aWaitAsksAgain(
      boolean waits, boolean limited, boolean mayBeKnown, long failingFor, boolean again) {
    assertEquals(again, RetryRule.asksAgain(waits, limited, mayBeKnown, failingFor, 30));
  }
}
