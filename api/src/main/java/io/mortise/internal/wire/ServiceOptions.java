package io.mortise.internal.wire;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of one service, checked and complete. */
public record ServiceOptions(
    Duration leaseTime,
    @Nullable Duration maxHold,
    Duration commandTimeout,
    String keyPrefix,
    int handOffLimit,
    boolean interruptOnLoss,
    boolean redissonInterop,
    boolean startOnGrant,
    QueueTimes times) {

  /** The default key prefix. */
  public static final String KEY_PREFIX = "mortise:";

  /** The keys of the lock that {@code getLock} returns for a name. */
  public LockKeys keys(String name) {
    return redissonInterop ? LockKeys.redisson(keyPrefix, name) : LockKeys.of(keyPrefix, name);
  }

  /** How long after its acquisition from the store a hold may be handed off (rule L12). */
  public static final Duration HAND_OFF_TIME = Duration.ofMillis(10);

  /**
   * The shortest time (ns) that a hold with these terms may have at its beginning: with {@code
   * startOnGrant} it may be the grant window.
   */
  public long shortestGiven(LeaseTerms lease) {
    return startOnGrant ? Math.min(lease.nanos(), times.grantWindow().toNanos()) : lease.nanos();
  }

  /** How long the store remembers a tombstone. */
  public Duration tombstone() {
    Duration shortest = Duration.ofSeconds(60);
    Duration longest = leaseTime.compareTo(shortest) > 0 ? leaseTime : shortest;
    Duration twoCommands = commandTimeout.multipliedBy(2);
    return longest.compareTo(twoCommands) > 0 ? longest : twoCommands;
  }
}
