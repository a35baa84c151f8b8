package io.mortise.internal.wire;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The lease that an acquisition asks for.
 *
 * @param nanos the length (ns), a whole number of milliseconds
 * @param millis the length (ms), as the scripts take it
 * @param renewed whether the lease is renewed until it is released
 */
public record LeaseTerms(long nanos, String millis, boolean renewed) {
  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  public static LeaseTerms renewed(Duration lease) {
    return of(lease, true);
  }

  public static LeaseTerms fixed(Duration lease) {
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "lease "
              + lease
              + " is out of range (10 ms to 10,000 days); for a lease that is renewed"
              + " until unlock() call lock() or tryLock(wait, unit) without a lease");
    }
    return of(lease, false);
  }

  public static LeaseTerms fixed(long lease, TimeUnit unit) {
    if (lease <= 0 || unit.toDays(lease) > LONGEST.toDays()) {
      throw new IllegalArgumentException(
          "lease "
              + lease
              + ' '
              + unit
              + " is out of range (10 ms to 10,000 days); for a lease that"
              + " is renewed until unlock() call lock() or tryLock(wait, unit) without a lease");
    }
    return fixed(Duration.of(lease, unit.toChronoUnit()));
  }

  private static LeaseTerms of(Duration lease, boolean renewed) {
    long millis = lease.toMillis();
    return new LeaseTerms(TimeUnit.MILLISECONDS.toNanos(millis), Long.toString(millis), renewed);
  }
}
