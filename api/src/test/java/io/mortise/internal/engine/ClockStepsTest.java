package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Time is in ns. The wall clock is looked at once a millisecond, however often the time is read.
 */
@Tag("L9")
class ClockStepsTest {
  private static final long MS = Duration.ofMillis(1).toNanos();
  private static final long SLEEP = Duration.ofSeconds(30).toNanos();

  /** Two clocks that a test moves. */
  private static final class Clocks implements TimeSource {
    long now;
    long slept;
    int looks;

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public long currentTimeMillis() {
      looks++;
      return (now + slept) / MS;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new AssertionError("it does not wait");
    }

    @Override
    public Timer schedule(Runnable task, Duration delay) {
      throw new AssertionError("it does not wait");
    }
  }

  private final Clocks clocks = new Clocks();
  private final ClockSteps steps = new ClockSteps(clocks);

  @Test
  void readsWithinAMillisecondLookOnce() {
    int before = clocks.looks;
    for (int i = 0; i < 1000; i++) {
      clocks.now += MS / 100; // 10 ms in all
      assertEquals(clocks.now, steps.now());
    }
    assertEquals(10, clocks.looks - before);
  }

  @Test
  void aSleepIsKnownAfterAMillisecond() {
    long sent = steps.now();
    clocks.slept = SLEEP;
    clocks.now += MS - 1;
    assertEquals(0, steps.since(sent), "unseen");
    assertEquals(clocks.now, steps.now());
    assertEquals(0, steps.since(sent), "unseen");

    clocks.now++;
    assertEquals(clocks.now, steps.now());

    assertEquals(SLEEP, steps.since(sent));
  }

  /** The first read after a long rest is the first that can see what happened in it. */
  @Test
  void aSleepOfAnIdleServiceIsKnownAtTheFirstRead() {
    long sent = steps.now();
    clocks.now += Duration.ofHours(1).toNanos();
    clocks.slept = SLEEP;

    assertEquals(clocks.now, steps.now());

    assertEquals(SLEEP, steps.since(sent));
  }

  /** A command that was sent in the millisecond is doubted too, which is on the safe side. */
  @Test
  void whatIsSentInTheMillisecondIsInDoubt() {
    clocks.slept = SLEEP;
    long sent = steps.now();
    clocks.now += MS;

    long noticed = steps.now();

    assertEquals(SLEEP, steps.since(sent));
    assertEquals(0, steps.since(noticed));
  }
}
