package io.mortise.internal.engine;

import io.mortise.internal.wire.QueueTimes;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the store's clock said when a waiter asked. From it follows how long a grant lasts whose
 * message says when it was given.
 *
 * @param askedAt before the waiter asked, by the time source
 * @param storeTime in the answer, by the store's clock (us)
 * @param epoch of the mailbox when the waiter asked: another may hear another store
 */
record GrantClock(long askedAt, long storeTime, int epoch) {
  /** Of a hundred parts of a time, one by which the two clocks may differ in rate. */
  private static final long DRIFT = 100;

  private static final long MARGIN = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * Until when a grant lasts at least, by the time source. The store read its clock after {@link
   * #askedAt}, so a grant that was given some time after that reading was given no earlier than so
   * long after {@code askedAt}. It was also given before now.
   *
   * @param grantedAt by the store's clock (us)
   * @param heardIn the epoch of the mailbox now
   * @return null if that cannot be told
   */
  @Nullable Long endOfGrant(long grantedAt, int heardIn, long now, QueueTimes times) {
    long since = TimeUnit.MICROSECONDS.toNanos(grantedAt - storeTime);
    if (heardIn != epoch || since < 0 || since > times.alive().toNanos()) {
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
