package io.mortise.internal.wire;

import io.mortise.spi.ReplicaAcks;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of one service, checked and complete.
 *
 * @param handOffLimit how often one acquisition is handed off at most; {@link #NO_LIMIT} if only
 *     time bounds it
 * @param retain for how long after its acquisition a plain hold is kept that no thread uses; zero
 *     if never
 */
public record ServiceOptions(
    Duration leaseTime,
    @Nullable Duration maxHold,
    Duration commandTimeout,
    String keyPrefix,
    int handOffLimit,
    Duration retain,
    boolean interruptOnLoss,
    boolean breakDeadlocks,
    boolean redissonInterop,
    @Nullable ReplicaAcks replicaAcks,
    QueueTimes times) {

  /** No limit to the number of hand-offs. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** For how many hand-offs an acquisition has fencing tokens at most. */
  private static final int TOKENS_TO_HAND_OFF = 64;

  /** The default key prefix. */
  public static final String KEY_PREFIX = "mortise:";

  /** The keys of the lock that {@code getLock} returns for a name. */
  public LockKeys keys(String name) {
    return redissonInterop ? LockKeys.redisson(keyPrefix, name) : LockKeys.of(keyPrefix, name);
  }

  /**
   * For how long a hold may be handed off (rule L12): after it was first asked for. If nobody asks
   * for it, because others waited before it began, after its acquisition from the store.
   */
  public static final Duration HAND_OFF_TIME = Duration.ofMillis(10);

  /** For how long after its acquisition a hold may be handed off for which nobody asks. */
  public static final Duration UNASKED_TIME = Duration.ofSeconds(1);

  /** How often an acquisition of that kind is handed off at most. */
  public int mostHandOffs(LockKind kind) {
    return kind.hasTokens() ? Math.min(handOffLimit, TOKENS_TO_HAND_OFF) : handOffLimit;
  }

  /** How long the store remembers a tombstone. */
  public Duration tombstone() {
    return Collections.max(
        List.of(Duration.ofSeconds(60), leaseTime, commandTimeout.multipliedBy(2)));
  }
}
