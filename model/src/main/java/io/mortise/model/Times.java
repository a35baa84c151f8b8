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
 * @param tombstone how long a tombstone lasts: longer than a lease, and than a message is late
 * @param staying for how long a process may stay with a hold
 */
record Times(
    int delay,
    int recheck,
    int window,
    int alive,
    int timeout,
    int lease,
    int lateness,
    int tombstone,
    Staying staying) {
  /** Messages arrive in the unit of time in which they were sent, in any order. */
  static final Times QUICK = new Times(0, 1, 2, 3, 1, 3, 3, 4, Staying.UNASKED);

  /** Messages take no time or one unit. */
  static final Times SLOW = new Times(1, 1, 4, 5, 2, 5, 3, 4, Staying.UNASKED);

  /** As QUICK, with a lease that is shorter than the window. */
  static final Times SHORT = new Times(0, 1, 3, 4, 1, 2, 3, 4, Staying.UNASKED);

  /** As QUICK, with a longer lease, so that a hold may be kept for some time until it is wanted. */
  static final Times QUICK_ASKED = new Times(0, 1, 2, 3, 1, 6, 3, 7, Staying.ASKED);

  /** As SLOW, with the same lease. */
  static final Times SLOW_ASKED = new Times(1, 1, 4, 5, 2, 6, 3, 7, Staying.ASKED_SLOWLY);

  /** As SLOW_ASKED, where processes send the messages of their scripts. */
  static final Times SLOW_POSTED = SLOW_ASKED.withStaying(Staying.POSTED);

  /**
   * For how long a process may stay with a hold.
   *
   * @param handOff H, for how long after its acquisition a hold may be handed off. Of an alone hold
   *     ({@link Choice#ASK}): after the first ask
   * @param retain Rt, for how long after its acquisition a hold may be kept that no thread uses
   * @param cap Hc, for how long after its acquisition a hold is handed off if nobody asks
   * @param recall for how long a try waits for a hold that perhaps no thread uses
   */
  record Staying(int handOff, int retain, int cap, int recall) {
    static final Staying UNASKED = new Staying(2, 2, 2, 0);
    static final Staying ASKED = new Staying(1, 3, 2, 1);
    static final Staying ASKED_SLOWLY = new Staying(1, 3, 2, 4);
    static final Staying POSTED = new Staying(1, 3, 2, 5);
  }

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

  int handOff() {
    return staying.handOff();
  }

  int retain() {
    return staying.retain();
  }

  int cap() {
    return staying.cap();
  }

  int recall() {
    return staying.recall();
  }

  /** W, after which a holder that was asked may be asked again. It is half a re-check. */
  int askAgain() {
    return Math.max(1, recheck / 2);
  }

  /** A process that has not asked for so long is silent: it missed two checks and a command. */
  int silence() {
    return 2 * recheck + timeout;
  }

  Times withWindow(int other) {
    return new Times(delay, recheck, other, alive, timeout, lease, lateness, tombstone, staying);
  }

  Times withRecheck(int other) {
    return new Times(delay, other, window, alive, timeout, lease, lateness, tombstone, staying);
  }

  Times withAlive(int other) {
    return new Times(delay, recheck, window, other, timeout, lease, lateness, tombstone, staying);
  }

  Times withTombstone(int other) {
    return new Times(delay, recheck, window, alive, timeout, lease, lateness, other, staying);
  }

  Times withStaying(Staying other) {
    return new Times(delay, recheck, window, alive, timeout, lease, lateness, tombstone, other);
  }
}
