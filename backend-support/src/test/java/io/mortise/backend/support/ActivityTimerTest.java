package io.mortise.backend.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A timer that runs while something is used. */
class ActivityTimerTest {
  private static final Duration PERIOD = Duration.ofSeconds(20);
  private static final int UNUSED = 5;

  private final Deque<Runnable> scheduled = new ArrayDeque<>();
  private int beats;
  private boolean refuses;
  private final ActivityTimer pulse = new ActivityTimer(() -> beats++, PERIOD, new Periods());

  /** Time that passes in whole periods. */
  private final class Periods implements TimeSource {
    @Override
    public long nanoTime() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Timer schedule(Runnable task, Duration delay) {
      assertEquals(PERIOD, delay);
      if (refuses) {
        throw new Error("no thread can be made");
      }
      scheduled.add(task);
      return () -> scheduled.remove(task);
    }
  }

  /** A period passes. Returns whether the timer ticked. */
  private boolean ticks() {
    int before = beats;
    Runnable due = scheduled.poll();
    if (due != null) {
      due.run();
    }
    assertTrue(scheduled.size() <= 1, "it is one timer");
    return beats > before;
  }

  private void assertStill() {
    assertFalse(ticks());
    assertEquals(0, scheduled.size());
  }

  @Test
  @DisplayName("it stands still when unused; each use is followed by five ticks")
  void fiveTicksAfterAUse() {
    assertStill();
    for (int round = 0; round < 3; round++) {
      pulse.use();
      pulse.use();
      for (int i = 0; i < UNUSED; i++) {
        assertTrue(ticks());
      }
      assertStill();
    }
  }

  @Test
  @DisplayName("once closed it has no timer, and a use starts none")
  void closed() {
    pulse.use();
    Runnable late = scheduled.element();
    pulse.close();
    assertStill();
    late.run(); // it had begun before
    pulse.use();
    assertStill();
    assertEquals(0, beats);
  }

  @Test
  @DisplayName("while used it ticks once a period, however often it is used")
  void ticksWhileUsed() {
    for (int i = 0; i < 4 * UNUSED; i++) {
      pulse.use();
      pulse.use();
      assertTrue(ticks());
      assertEquals(i + 1, beats);
    }
  }

  @Test
  @DisplayName("a use between two ticks is followed by five more")
  void fiveTicksAfterTheLastUse() {
    pulse.use();
    assertTrue(ticks());
    pulse.use();
    for (int i = 0; i < UNUSED; i++) {
      assertTrue(ticks());
    }
    assertStill();
  }

  @Test
  @DisplayName("a timer that meets an Error is started by the next use, as one timer")
  void startedAgainAfterAnError() {
    refuses = true;
    assertThrows(Error.class, pulse::use);
    refuses = false;
    pulse.use();
    assertTrue(ticks());
    refuses = true;
    assertThrows(Error.class, this::ticks);
    scheduled.clear();
    refuses = false;
    pulse.use();
    assertTrue(ticks());
  }
}
