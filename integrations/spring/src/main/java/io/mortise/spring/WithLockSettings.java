package io.mortise.spring;

import java.time.Duration;
import org.springframework.core.Ordered;

/**
 * What holds for all methods with {@link WithLock} of an application. A bean of this type replaces
 * the defaults.
 *
 * @param waitFor the longest time to wait for a lock, where the annotation says nothing; zero for
 *     one attempt
 * @param inTransaction what happens if the caller already has a transaction
 * @param order the order of the advisor; it must be before that of transactions, which is {@link
 *     Ordered#LOWEST_PRECEDENCE} unless it was changed
 */
public record WithLockSettings(Duration waitFor, InTransaction inTransaction, int order) {
  /** What happens to a lock that is acquired inside a transaction. */
  public enum InTransaction {
    /** It is held until that transaction is over. */
    HOLD,
    /** The call throws, before anything is acquired. */
    FAIL,
    /**
     * It is released when the method returns. Then the next holder can read data that the
     * transaction has not committed yet.
     */
    RELEASE
  }

  /** The order of the advisor by default: before that of transactions. */
  public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1000;

  /** Checks the values. */
  public WithLockSettings {
    if (waitFor.isNegative()) {
      throw new IllegalArgumentException("the wait for a lock is negative: " + waitFor);
    }
  }

  /** The defaults: 10 seconds, {@link InTransaction#HOLD} and {@link #DEFAULT_ORDER}. */
  public WithLockSettings() {
    this(Duration.ofSeconds(10), InTransaction.HOLD, DEFAULT_ORDER);
  }
}
