package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * For how long the acquisition of a gate may stay in its process when a thread has unlocked (rule
 * L12). It is handed off if a thread waits for it, and may be retained if none does. The gate uses
 * it under its mutex.
 *
 * <p>An acquisition is alone if nobody held the lock, waited for it or was remembered when it
 * began, and the mailbox hears who wants it. Everyone who waits has come later, and has asked for
 * it. Only a waiter that the store has passed over asks as late as at its next check. So the hold
 * stays until it is asked for. Of any other, somebody may wait who has asked for the hold before it
 * and will not ask again soon. It is handed off for a short time, and never retained.
 *
 * <p>The time bounds both that a hold is handed off and that it lies: a thread that was woken for
 * it may not run for long, and nobody uses the hold until it does.
 *
 * <p>A message may be lost, so each of these times also has an end that counts from the
 * acquisition. Threads that take the lock again do not move it. Only the first message counts: with
 * each one that moves the end, many that ask would keep the lock where it is.
 */
final class Stay {
  private static final long HAND_OFF = ServiceOptions.HAND_OFF_TIME.toNanos();
  private static final long UNASKED = ServiceOptions.UNASKED_TIME.toNanos();

  /** How many holds a service retains at most. A crash or lost data concerns all of them. */
  private static final int MOST_RETAINED = 10_000;

  private final Store store;

  /** How many holds of the service are retained. */
  private final AtomicInteger ofService;

  private boolean alone;
  private boolean asked;
  private long askedAt;
  private int handOffs;
  private boolean retained;

  Stay(Store store, AtomicInteger ofService) {
    this.store = store;
    this.ofService = ofService;
  }

  /** The gate has a new acquisition, which may be asked for before it holds the lock. */
  void expects() {
    asked = false;
  }

  /** The acquisition holds the lock. If it was asked for before, it is not alone. */
  void begins(boolean isAlone) {
    alone = isAlone && !asked;
    handOffs = 0;
  }

  /** Somebody wants the lock. */
  void wanted(long now) {
    if (!asked) {
      asked = true;
      askedAt = now;
    }
  }

  /** Messages may have been missed, so nobody can be heard who asks. */
  void missedMessages() {
    alone = false;
  }

  /** Another thread of the process takes the hold over. Returns how many have. */
  int takenOver() {
    endRetaining();
    return ++handOffs;
  }

  boolean mayHandOff(Acquisition held, LockKind kind, Waiter next, long now) {
    return handOffs < store.options().mostHandOffs(kind)
        && next.lease().mayBeHandedOff()
        && handOffLeft(held, now) > 0
        && isSafe(held, held.lease().terms().nanos(), now);
  }

  private long handOffLeft(Acquisition held, long now) {
    long age = now - held.lease().acquiredAt();
    long unasked = alone ? UNASKED - age : 0;
    long afterAsked = asked ? askedAt + HAND_OFF - now : unasked;
    return Math.max(HAND_OFF - age, Math.min(unasked, afterAsked));
  }

  private long retainLeft(Acquisition held, long now) {
    long time = store.retain() - (now - held.lease().acquiredAt());
    long lease = held.lease().remaining(now) - held.lease().terms().nanos() / 2;
    return alone && !asked ? Math.min(time, lease) : 0;
  }

  /**
   * For how long a hold may still lie that no thread uses (ns); at most 0 if it has to go back.
   *
   * @param handedOff whether a thread was woken for it; else it is retained
   */
  long left(Acquisition held, boolean handedOff, long now) {
    return handedOff ? handOffLeft(held, now) : retainLeft(held, now);
  }

  /** When to look again at a hold that may lie (ns), also if it is used meanwhile. */
  long untilLook(Acquisition held, boolean handedOff, long now) {
    long other = left(held, !handedOff, now);
    long own = left(held, handedOff, now);
    return other > 0 ? Math.min(own, other) : own;
  }

  /**
   * Whether a hold may be retained, and may be taken over while it is. None is retained during a
   * renewal: it may fail, and nobody is inside to be told.
   */
  boolean mayRetain(Acquisition held, long now) {
    return alone
        && !asked
        && now - held.lease().acquiredAt() < store.retain()
        && !held.lease().isRenewing()
        && isSafe(held, held.lease().terms().nanos(), now);
  }

  private boolean isSafe(Acquisition held, long whole, long now) {
    LeaseTerms lease = held.lease().terms();
    return lease.mayBeHandedOff()
        && held.lease().rest(now) == 0
        && held.lease().state(now) == LeaseState.HELD
        && held.lease().remaining(now) >= whole / 2
        && store.takesWork();
  }

  /** Begins to retain the hold. Returns false if the service retains as many as it may. */
  boolean retain() {
    retained = ofService.incrementAndGet() <= MOST_RETAINED;
    if (!retained) {
      ofService.decrementAndGet();
    }
    return retained;
  }

  /** The hold is retained no more. */
  void endRetaining() {
    if (retained) {
      retained = false;
      ofService.decrementAndGet();
    }
  }
}
