package io.mortise.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.mortise.internal.wire.QueueTimes;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The grant window is 3 s, and a waiter counts as alive for 10 s. */
@Tag("L1")
class GrantClockTest {
  private static final QueueTimes TIMES = QueueTimes.standard(Duration.ofSeconds(2));
  private static final int EPOCH = 7;

  /** The store was asked at 100 ms of our clock, and answered 5,000 s. */
  private final GrantClock sample =
      new GrantClock(
          ms(100), TimeUnit.SECONDS.toMicros(5_000), EPOCH, new ClockSteps(new StubTime()));

  private static long ms(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** The end (ms) of a grant that was given that long after the sample. */
  private @Nullable Long ends(long givenAfter, int epoch, long heardAt) {
    long grantedAt = TimeUnit.MILLISECONDS.toMicros(5_000_000 + givenAfter);
    Long ends = sample.endOfGrant(grantedAt, epoch, ms(heardAt), TIMES);
    return ends == null ? null : TimeUnit.NANOSECONDS.toMillis(ends);
  }

  @Test
  void itLastsTheWindowFromTheEarliestMomentAtWhichItCanHaveBeenGiven() {
    assertEquals(100 + 2_970 - 2, ends(0, EPOCH, 150));
    assertEquals(100 + 990 + 2_970 - 2, ends(1_000, EPOCH, 1_200), "by a clock that is 1 % fast");
  }

  @Test
  void howLongTheMessageWasOnItsWayMakesNoDifference() {
    assertEquals(ends(1_000, EPOCH, 1_200), ends(1_000, EPOCH, 9_000));
  }

  @Test
  void aClockThatWasSetForwardGivesNoMoreThanTheWindowFromNow() {
    assertEquals(200 + 2_970 - 2, ends(9_000, EPOCH, 200));
  }

  @Test
  void aClockThatWasSetBackIsNotBelieved() {
    assertNull(ends(-1, EPOCH, 150));
  }

  @Test
  void whatTheStoreSaidLongAgoIsNotBelieved() {
    assertNull(ends(10_001, EPOCH, 10_200));
  }

  @Test
  void whatAnotherConnectionHearsIsNotCompared() {
    assertNull(ends(0, EPOCH + 1, 150));
  }
}
