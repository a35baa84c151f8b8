package io.mortise.model;

/**
 * The times of the protocol, in whole units. The letters are those of the wire format.
 *
 * @param delay D, how long a message takes at most without a fault
 * @param recheck R, a waiter asks again
 * @param window C, a granted waiter confirms
 * @param alive A, a waiter that did not ask again counts as gone
 * @param timeout T, the caller of a command gives it up
 * @param lease L, how long a hold lasts without renewal
 * @param lateness how late a delayed message is at most
 * @param tombstone how long a tombstone lasts
 */
record Times(
    int delay,
    int recheck,
    int window,
    int alive,
    int timeout,
    int lease,
    int lateness,
    int tombstone) {
  /** Messages arrive in the unit of time in which they were sent, in any order. */
  static final Times QUICK = new Times(0, 1, 2, 3, 1, 3, 3, 4);

  /** Messages take no time or one unit. */
  static final Times SLOW = new Times(1, 1, 4, 5, 2, 5, 3, 4);

  /** The lease that a holder may ask for to make its hold longer. */
  int longLease() {
    return lease + 2;
  }

  /** How long a lock is kept that was left with a rest of time. It is shorter than a lease. */
  int rest() {
    return lease - 1;
  }

  /** How long a thread of a gate stays with the lock at most. */
  int section() {
    return 1;
  }

  /** H, for how long after its acquisition a hold may be handed off. */
  int handOff() {
    return 2;
  }

  /** For how long after its acquisition a hold may be kept that no thread uses. */
  int retain() {
    return 2;
  }

  /** A process that has not asked for so long is silent: it missed two checks and a command. */
  int silence() {
    return 2 * recheck + timeout;
  }

  Times withWindow(int other) {
    return new Times(delay, recheck, other, alive, timeout, lease, lateness, tombstone);
  }

  Times withRecheck(int other) {
    return new Times(delay, other, window, alive, timeout, lease, lateness, tombstone);
  }

  Times withAlive(int other) {
    return new Times(delay, recheck, window, other, timeout, lease, lateness, tombstone);
  }

  Times withTombstone(int other) {
    return new Times(delay, recheck, window, alive, timeout, lease, lateness, other);
  }
}
