package io.mortise.conformance.outside;

/**
 * A breach of the lock contract, found in the logs.
 *
 * @param sort the kind
 * @param resource the lock; for leftovers the server or the worker
 * @param at ns since the start of the run
 * @param text the values, in one line
 */
record Violation(Sort sort, String resource, long at, String text) {
  /** The kinds, with the rules of the lock contract. */
  enum Sort {
    /** More good holds at once than there is room for (L1, RW1, S1, R1). */
    OVERLAP,
    /** The lock was free, and a reachable waiter waited too long (L10). */
    GAP,
    /** A later hold had no larger token (L13). */
    TOKEN,
    /** A hold was lost without a fault (L8). */
    LOST_WITHOUT_CAUSE,
    /** An attempt exceeded its limit (L5). */
    OVERDUE,
    /** An attempt failed after all faults were over (L10, L14). */
    STUCK,
    /** A key without expiry, a subscription or a thread stayed (L15). */
    LEFTOVER,
    /** A call ran more than once (B2). */
    TWICE,
    /** A worker ended by itself, or did not end on request. */
    WORKER
  }

  @Override
  public String toString() {
    return "%s of %s at %.3f s: %s".formatted(sort, resource, at / 1e9, text);
  }
}
