package io.mortise.jmh.question;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The end of a warm-up. */
class SteadinessTest {
  @Test
  void itTakesItsLeastTimeHoweverSteady() {
    Steadiness steadiness = new Steadiness(Duration.ofSeconds(3));
    assertFalse(steadiness.add(100));
    assertFalse(steadiness.add(100));
    assertTrue(steadiness.add(100));
  }

  @Test
  void itGoesOnWhileTheLastTwoSecondsDiffer() {
    Steadiness steadiness = new Steadiness(Duration.ofSeconds(2));
    assertFalse(steadiness.add(883));
    assertFalse(steadiness.add(1_656));
    assertFalse(steadiness.add(2_431));
    assertFalse(steadiness.add(2_800));
    assertTrue(steadiness.add(2_930));
    assertEquals(5, steadiness.seconds());
    assertEquals(883, steadiness.first());
    assertEquals(130 / 2_930.0, steadiness.drift(), 1e-9);
  }

  @Test
  void itEndsThoughItNeverStandsStill() {
    Steadiness steadiness = new Steadiness(Duration.ofSeconds(1));
    int seconds = 1;
    while (!steadiness.add(seconds % 2 == 0 ? 100 : 200)) {
      seconds++;
    }
    assertEquals(30, seconds);
    assertTrue(steadiness.drift() > Steadiness.TOLERANCE);
  }
}
