package io.mortise.conformance.outside;

/**
 * What a lock must not do, found in the logs.
 *
 * @param sort what it is
 * @param resource at which lock; of leftovers the server or the worker
 * @param at when, in ns since the start of the run
 * @param text the values, in one line
 */
record Violation(Sort sort, String resource, long at, String text) {
  /** The sorts, with the rules of the lock contract. */
  enum Sort {
    /** More were inside by good holds than there is room for (L1, RW1, S1, R1). */
    OVERLAP,
    /** The lock was free, and somebody who could be told waited too long (L10). */
    GAP,
    /** A later hold had no larger token (L13). */
    TOKEN,
    /** A hold was lost, and nothing had happened to it (L8). */
    LOST_WITHOUT_CAUSE,
    /** An attempt took longer than it was allowed to (L5). */
    OVERDUE,
    /** When all was whole again somebody did not enter (L10, L14). */
    STUCK,
    /** A key without expiry, a subscription or a thread stayed (L15). */
    LEFTOVER,
    /** A worker ended by itself, or did not end when it was told to. */
    WORKER
  }

  @Override
  public String toString() {
    return "%s of %s at %.3f s: %s".formatted(sort, resource, at / 1e9, text);
  }
}
