package io.mortise.annotations.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times in annotations have units, and are not negative. */
class TimesTest {
  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "500ms, PT0.5S",
    "' 5 S ', PT5S",
    "1h30m, PT1H30M",
    "1d 2h, PT26H",
    "7us, PT0.000007S",
    "PT5S, PT5S",
    "p1d, P1D",
  })
  void aTime(String text, Duration time) {
    assertEquals(time, Times.read(text));
    assertEquals(time, Times.readWait(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "soon", "-5s", "PT-5S", "5s!", "5 s m", "forever", "999999999999999999d"})
  void noTime(String text) {
    var refused = assertThrows(IllegalArgumentException.class, () -> Times.read(text));
    assertTrue(String.valueOf(refused.getMessage()).contains("\"500ms\""));
  }

  @Test
  void aWaitMayHaveNoLimit() {
    assertNull(Times.readWait(" Forever"));
  }
}
