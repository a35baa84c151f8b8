package io.mortise.internal.engine;

import io.mortise.spi.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices steps of the wall clock ahead of the monotonic one. The monotonic clock stands still
 * while the machine is suspended, and leases go on in the store. So after a step of more than a
 * second, nobody knows how much of a lease is left until the store has answered. Thread-safe.
 *
 * <p>A read of the time looks at both clocks, because the thread that reads it may be the first to
 * run after a suspension. It does so once a millisecond at most, because the second clock costs as
 * much as the first. So a suspension may be unseen for a millisecond. What is checked or sent in
 * that time counts as before the suspension. Times are by the monotonic clock. {@code base} is how
 * far the wall clock was ahead before the part that is not yet a step. It is not raised by less
 * than a step, so several short suspensions add up to one. A wall clock that steps back lowers it,
 * and is no step.
 */
final class ClockSteps {
  private static final Logger log = LoggerFactory.getLogger(ClockSteps.class);
  private static final long LEAST = Duration.ofSeconds(1).toNanos();

  /** A step back of the wall clock; less is the grain of its milliseconds. */
  private static final long BACK = Duration.ofMillis(50).toNanos();

  /** For so long after a look, no read looks again. The wall clock is no finer. */
  private static final long PAUSE = Duration.ofMillis(1).toNanos();

  /** More steps than these count as one. Then a lease may seem shorter than it is. */
  private static final int MOST = 16;

  /** One step, of that many ns, which was noticed at that time; and the one before it. */
  private record Step(long at, long nanos, @Nullable Step before, int number) {}

  private final TimeSource time;
  private volatile long base;
  private volatile long looked;
  private volatile @Nullable Step last;

  ClockSteps(TimeSource time) {
    this.time = time;
    looked = time.nanoTime();
    base = ahead(looked);
  }

  private long ahead(long now) {
    return time.currentTimeMillis() * 1_000_000 - now;
  }

  /** The monotonic time. A step until a millisecond ago is known, and was before that time. */
  long now() {
    long now = time.nanoTime();
    if (now - looked < PAUSE) {
      return now;
    }
    looked = now;
    long more = ahead(now) - base;
    if (more <= LEAST && more >= -BACK) {
      return now;
    }
    look();
    return time.nanoTime();
  }

  /** How far the wall clock has stepped ahead after that time (ns); 0 if it has not. */
  long since(long when) {
    long sum = 0;
    for (Step step = last; step != null && when - step.at < 0; step = step.before) {
      sum += step.nanos;
    }
    return sum;
  }

  private void look() {
    long step = step();
    if (step > 0) {
      log.warn(
          "the wall clock went {} ms ahead of the monotonic one: the machine was suspended, or its clock was set; the store is asked what is still held (docs/operating.md#keep-the-clocks-steady)",
          Duration.ofNanos(step).toMillis());
    }
  }

  /** Notes a step, if there is one. Returns how long it is (ns), or 0. */
  private synchronized long step() {
    long more = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) { // this thread may stand still between the two clocks
      more = Math.min(more, ahead(time.nanoTime()) - base);
    }
    if (more > LEAST) {
      Step before = last;
      last =
          before != null && before.number == MOST
              ? new Step(time.nanoTime(), more + before.nanos, before.before, MOST)
              : new Step(time.nanoTime(), more, before, before == null ? 1 : before.number + 1);
    }
    if (more > LEAST || more < -BACK) {
      base += more; // last: a reader of it sees the step
    }
    return more > LEAST ? more : 0;
  }
}
