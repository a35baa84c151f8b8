package io.mortise.internal.engine;

import io.mortise.internal.wire.QueueTimes;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The store's clock when a waiter asked. A message says when a grant was given; from the two
 * follows how long that grant lasts.
 *
 * @param askedAt before the waiter asked, by the time source
 * @param storeTime in the reply, by the store's clock (us)
 * @param epoch of the mailbox when the waiter asked: another epoch may hear another store
 * @param steps since then the time source may have stood still, and the store's clock not
 */
record GrantClock(long askedAt, long storeTime, int epoch, ClockSteps steps) {
  /** How much the two clocks may differ in rate: one part in a hundred. */
  private static final long DRIFT = 100;

  private static final long MARGIN = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * The earliest end of a grant, by the time source.
   *
   * <p>The store read its clock after {@link #askedAt}. So a grant that was given a span after that
   * reading was given no earlier than the same span after {@code askedAt}. It was also given before
   * now. The earlier of the two ends counts, less the drift of the clocks and a margin.
   *
   * @param grantedAt by the store's clock (us)
   * @param heardIn the epoch of the mailbox now
   * @return null if the end cannot be computed
   */
  @Nullable Long endOfGrant(long grantedAt, int heardIn, long now, QueueTimes times) {
    long since = TimeUnit.MICROSECONDS.toNanos(grantedAt - storeTime);
    boolean unknown = heardIn != epoch || steps.since(askedAt) > 0;
    if (unknown || since < 0 || since > times.alive().toNanos()) {
      return null;
    }
    long window = times.grantWindow().toNanos();
    long ends = askedAt + lessDrift(since + window) - MARGIN;
    long latest = now + lessDrift(window) - MARGIN;
    return ends - latest < 0 ? ends : latest;
  }

  private static long lessDrift(long nanos) {
    return nanos - nanos / DRIFT;
  }
}
