package io.mortise.internal.lock;

import io.mortise.StaleTokenException;

/** The checks of fencing tokens that all guards share. */
public final class Tokens {
  /** Scripts count in doubles, so no store can issue a larger token. */
  private static final long LARGEST = 1L << 53;

  private Tokens() {}

  /** Refuses a number that no lock has issued as a token. */
  public static void check(Object guard, Object key, long token) {
    if (token <= 0 || token > LARGEST) {
      throw new IllegalArgumentException(
          "%s, key '%s': token %d was never issued by a fenced lock; pass what fencingToken() or lockAndGetToken() returned, 1 to 2^53"
              .formatted(guard, key, token));
    }
  }

  /** Creates the exception for a token that is too old. */
  public static StaleTokenException stale(Object guard, Object key, long token, long seen) {
    return new StaleTokenException(
        "%s, key '%s': token %d is older than %d, which has written already; nothing was written, lock and read again (docs/troubleshooting.md#stale-token)"
            .formatted(guard, key, token, seen),
        token,
        seen);
  }
}
