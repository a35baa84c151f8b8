package io.mortise.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamePatternTest {
  @ParameterizedTest
  @CsvSource({
    "a, a, true",
    "a, ab, false",
    "*, a, true",
    "**, abc, true",
    "a*, a, true",
    "*a*b, xaxxab, true",
    "*a*b, xaxxabc, false",
    "a?c, abc, true",
    "a?c, ac, false",
    "?, \uD83D\uDD12, true",
    "[ab], a, false",
    "[ab], [ab], true",
    "\\*, *, true",
    "\\*, a, false",
    "\\a, a, true",
    "\\\\, \\, true",
  })
  void onlyStarAndQuestionMarkStandForOthers(String pattern, String name, boolean matches) {
    assertEquals(matches, NamePattern.of(pattern).matches(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\\", "\\\\\\"})
  void aPatternThatMeansNothingIsRefused(String pattern) {
    assertThrows(IllegalArgumentException.class, () -> NamePattern.of(pattern));
  }

  @Test
  void manyStarsTakeNoTime() {
    NamePattern pattern = NamePattern.of("*a".repeat(500) + "b");
    assertTimeoutPreemptively(
        Duration.ofSeconds(10), () -> assertFalse(pattern.matches("a".repeat(512))));
  }
}
