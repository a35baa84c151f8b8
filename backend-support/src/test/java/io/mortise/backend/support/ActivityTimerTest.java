package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A timer that runs while something is used. */
class ActivityTimerTest {
  private static final Duration PERIOD = Duration.ofMillis(20);
  private static final int UNUSED = 5;

  private final Semaphore beats = new Semaphore(0);
  private final ActivityTimer pulse = new ActivityTimer(beats::release, PERIOD);

  private boolean beat() throws InterruptedException {
    return beats.tryAcquire(10, TimeUnit.SECONDS);
  }

  private void assertStill() throws InterruptedException {
    assertFalse(beats.tryAcquire(10 * PERIOD.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Test
  @DisplayName("it stands still when unused; each use is followed by five ticks")
  void fiveTicksAfterAUse() throws InterruptedException {
    assertStill();
    for (int round = 0; round < 3; round++) {
      pulse.use();
      pulse.use();
      for (int i = 0; i < UNUSED; i++) {
        assertTrue(beat());
      }
      assertStill();
    }
  }

  @Test
  @DisplayName("while used it ticks once a period, however often it is used")
  void ticksWhileUsed() throws InterruptedException {
    for (int i = 0; i < 4 * UNUSED; i++) {
      pulse.use();
      pulse.use();
      assertTrue(beat());
      assertEquals(0, beats.availablePermits());
    }
  }
}
