package io.mortise.internal.wire;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The lease that an acquisition asks for.
 *
 * @param nanos the length (ns), a whole number of milliseconds
 * @param millis the length (ms), as the scripts take it
 * @param renewed whether the lease is renewed until it is released
 * @param maxHold how long a renewed hold may last by its own handle (ns)
 */
public record LeaseTerms(long nanos, String millis, boolean renewed, long maxHold) {
  /** The maximum of a hold that has none. */
  public static final long UNLIMITED = Long.MAX_VALUE / 2;

  private static final Duration SHORTEST = Duration.ofMillis(10);
  private static final Duration LONGEST = Duration.ofDays(10_000);

  public static LeaseTerms renewed(Duration lease) {
    return of(lease, true);
  }

  public static LeaseTerms fixed(Duration lease) {
    Objects.requireNonNull(lease, "lease");
    if (lease.compareTo(SHORTEST) < 0 || lease.compareTo(LONGEST) > 0) {
      throw outOfRange(lease.toString());
    }
    return of(lease, false);
  }

  public static LeaseTerms fixed(long lease, TimeUnit unit) {
    if (lease <= 0 || unit.toDays(lease) > LONGEST.toDays()) {
      throw outOfRange(lease + " " + unit);
    }
    return fixed(Duration.of(lease, unit.toChronoUnit()));
  }

  private static IllegalArgumentException outOfRange(String lease) {
    return new IllegalArgumentException(
        "lease %s is out of range (10 ms to 10,000 days); for a lease that is renewed until unlock() call lock() or tryLock(wait, unit) without a lease"
            .formatted(lease));
  }

  /** The same terms, for a lease that is renewed, or is not. */
  public LeaseTerms renewedIf(boolean isRenewed) {
    return isRenewed == renewed ? this : new LeaseTerms(nanos, millis, isRenewed, maxHold);
  }

  /** The same terms for a hold that may last so long. */
  public LeaseTerms upTo(Duration max) {
    if (max.compareTo(SHORTEST) < 0 || max.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "max hold " + max + " is out of range (10 ms to 10,000 days)");
    }
    return upTo(max.toNanos());
  }

  /** The same terms for a hold that may last so long (ns). */
  public LeaseTerms upTo(long max) {
    return max == maxHold ? this : new LeaseTerms(nanos, millis, renewed, max);
  }

  /** Whether threads of a service may hand a hold with these terms off to each other. */
  public boolean mayBeHandedOff() {
    return renewed && maxHold == UNLIMITED;
  }

  /** For how long a lock that is left must not be free yet (ns); 0 if it may be. */
  public static long rest(Duration after) {
    if (Objects.requireNonNull(after, "after").compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("after " + after + " is longer than 10,000 days");
    }
    return after.isNegative() ? 0 : after.toNanos();
  }

  /** Terms that outlast such a {@link #rest} (ns). */
  public static LeaseTerms lasting(long rest) {
    return of(Duration.ofNanos(rest).plus(SHORTEST), false);
  }

  private static LeaseTerms of(Duration lease, boolean renewed) {
    long millis = lease.toMillis();
    long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
    return new LeaseTerms(nanos, Long.toString(millis), renewed, UNLIMITED);
  }
}
