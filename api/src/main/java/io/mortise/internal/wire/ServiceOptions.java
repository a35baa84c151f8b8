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

  /** What all keys begin with, unless the application says otherwise. */
  public static final String KEY_PREFIX = "mortise:";

  /** The keys of a plain lock. */
  public LockKeys keys(String name) {
    return redissonInterop ? LockKeys.redisson(keyPrefix, name) : LockKeys.of(keyPrefix, name);
  }

  /** How long after its remote acquisition a hold may still be passed on inside this process. */
  public static final Duration HAND_OFF_TIME = Duration.ofMillis(10);

  /** How long the shortest lease is with which a hold of this lease may begin (ns). */
  public long shortestGiven(LeaseTerms lease) {
    return startOnGrant ? Math.min(lease.nanos(), times.grantWindow().toNanos()) : lease.nanos();
  }

  /** How long an id whose acquire was never answered must not acquire any more. */
  public Duration tombstone() {
    Duration shortest = Duration.ofSeconds(60);
    Duration longest = leaseTime.compareTo(shortest) > 0 ? leaseTime : shortest;
    Duration twoCommands = commandTimeout.multipliedBy(2);
    return longest.compareTo(twoCommands) > 0 ? longest : twoCommands;
  }
}
