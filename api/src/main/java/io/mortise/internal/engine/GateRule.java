package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import org.jspecify.annotations.Nullable;

/**
 * Rule L12: when what a service got from the store may stay in it, so that the next one there needs
 * no command. All gates ask here.
 *
 * <table>
 *   <caption>What stays, by kind of lock</caption>
 *   <tr><td></td><td>threads ({@link Gate})</td><td>readers ({@link ReadGate})</td>
 *       <td>leases, permits ({@link LeaseGate})</td></tr>
 *   <tr><td>who waits in the service</td><td>all but one, the agent</td>
 *       <td>those that come while the first one asks</td>
 *       <td>those that come while one is ahead in the store's queue</td></tr>
 *   <tr><td>who holds at a time</td><td>one</td><td>many</td><td>one</td></tr>
 *   <tr><td>what may lie unused</td><td>what was handed off or is retained</td><td>nothing</td>
 *       <td>what a thread was woken for</td></tr>
 *   <tr><td>for how long</td><td>{@link Stay}</td><td>{@link Window}</td><td>{@link Window}</td></tr>
 * </table>
 *
 * <p>A fair lock or a write lock has a gate for each thread, so nothing of it stays. Neither do
 * leases of other locks than plain ones, nor of members of a lock of several.
 */
final class GateRule {
  /** For how long something is passed on in a service while others may wait for it (ns). */
  static final long HAND_OFF = ServiceOptions.HAND_OFF_TIME.toNanos();

  /** The same while nobody has asked for it (ns). */
  static final long UNASKED = ServiceOptions.UNASKED_TIME.toNanos();

  /** How many holds a service retains at most. A crash or lost data concerns all of them. */
  static final int MOST_RETAINED = 10_000;

  private GateRule() {}

  /** Whether what came from the store once may be passed on once more. */
  static boolean mayPassOnAgain(Store store, LockKind kind, int passed) {
    return passed < store.options().mostHandOffs(kind);
  }

  /**
   * Whether the next holder may have it: the lease is certain, at least half of it is left, and
   * nine tenths of the longest hold. Its last holder asked neither that it lasts longer, nor that
   * the lock stays taken.
   */
  static boolean isSafe(Store store, HeldLease lease, long now) {
    return lease.rest(now) == 0
        && !lease.isLengthened()
        && lease.state(now) == LeaseState.HELD
        && lease.remaining(now) >= lease.terms().nanos() / 2
        && lease.untilLimit(now) >= store.longestHold() / 10 * 9
        && store.takesWork();
  }

  static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /**
   * The times in which a gate passes on what comes from the store. One begins with an acquisition
   * that did not wait, since the queue was empty then. Or it begins with one whose place in the
   * queue is not older than the end of the last such time. So of all places that are ahead of
   * another waiter, those of this service begin one time at most, and that waiter waits for {@link
   * #HAND_OFF} and one section longer at most. Used under the mutex of its gate.
   */
  static final class Window {
    private long lastEnd;

    Window(long now) {
      lastEnd = now;
    }

    /**
     * Whether a time may begin with an acquisition.
     *
     * @param atOnce whether it came without a wait in the queue
     * @param placedAt since when it may have had its place in the queue
     */
    boolean mayBegin(boolean atOnce, long placedAt) {
      return atOnce || placedAt - lastEnd >= 0;
    }

    /** A time begins. Returns its end. */
    long begin(long now) {
      long end = now + HAND_OFF;
      lastEnd = later(lastEnd, end);
      return end;
    }

    /** Whether the last time is over. */
    boolean isOver(long now) {
      return now - lastEnd >= 0;
    }
  }

  /**
   * For how long the acquisition of a gate may stay in its process when a thread has unlocked (rule
   * L12). It is handed off if a thread waits for it, and may be retained if none does. The gate
   * uses it under its mutex.
   *
   * <p>An acquisition is alone if nobody held the lock, waited for it or was remembered when it
   * began, and the mailbox hears who wants it. Everyone who waits has come later, and has asked for
   * it. Only a waiter that the store has passed over asks as late as at its next check. So the hold
   * stays until it is asked for. Of any other, somebody may wait who has asked for the hold before
   * it and will not ask again soon. It is handed off for a short time, and never retained.
   *
   * <p>The time bounds both that a hold is handed off and that it lies: a thread that was woken for
   * it may not run for long, and nobody uses the hold until it does.
   *
   * <p>A message may be lost, so each of these times also has an end that counts from the
   * acquisition. Threads that take the lock again do not move it. Only the first message counts:
   * with each one that moves the end, many that ask would keep the lock where it is.
   */
  static final class Stay {
    private boolean alone;
    private int handOffs;

    /** When somebody asked for it first; null if nobody has. */
    private @Nullable Long askedAt;

    /** The gate has a new acquisition, which may be asked for before it holds the lock. */
    void expects() {
      askedAt = null;
    }

    /** The acquisition holds the lock. If it was asked for before, it is not alone. */
    void begins(boolean isAlone) {
      alone = isAlone && askedAt == null;
      handOffs = 0;
    }

    /** Somebody wants the lock. */
    void wanted(long now) {
      if (askedAt == null) {
        askedAt = now;
      }
    }

    /** Messages may have been missed, so nobody can be heard who asks. */
    void missedMessages() {
      alone = false;
    }

    /** Another thread of the process takes the hold over. Returns how many have. */
    int takenOver() {
      return ++handOffs;
    }

    boolean mayHandOff(Store store, Acquisition held, Waiter next, long now) {
      return GateRule.mayPassOnAgain(store, held.keys().kind(), handOffs)
          && next.lease().mayBeHandedOff()
          && handOffLeft(held, now) > 0
          && isSafe(store, held, now);
    }

    private long handOffLeft(Acquisition held, long now) {
      long age = now - held.lease().acquiredAt();
      long unasked = alone ? UNASKED - age : 0;
      Long since = askedAt;
      long afterAsked = since == null ? unasked : since + HAND_OFF - now;
      return Math.max(HAND_OFF - age, Math.min(unasked, afterAsked));
    }

    private long retainLeft(Store store, Acquisition held, long now) {
      long time = store.retain() - (now - held.lease().acquiredAt());
      long lease = held.lease().remaining(now) - held.lease().terms().nanos() / 2;
      return isUnasked() ? Math.min(time, lease) : 0;
    }

    /**
     * For how long a hold may still lie that no thread uses (ns); at most 0 if it has to go back.
     *
     * @param handedOff whether a thread was woken for it; else it is retained
     */
    long left(Store store, Acquisition held, boolean handedOff, long now) {
      return handedOff ? handOffLeft(held, now) : retainLeft(store, held, now);
    }

    /** When to look again at a hold that may lie (ns), also if it is used meanwhile. */
    long untilLook(Store store, Acquisition held, boolean handedOff, long now) {
      long other = left(store, held, !handedOff, now);
      long own = left(store, held, handedOff, now);
      return other > 0 ? Math.min(own, other) : own;
    }

    /**
     * Whether a hold may be retained, and may be taken over while it is. None is retained during a
     * renewal: it may fail, and nobody is inside to be told.
     */
    boolean mayRetain(Store store, Acquisition held, long now) {
      return isUnasked()
          && now - held.lease().acquiredAt() < store.retain()
          && !held.lease().isRenewing()
          && isSafe(store, held, now);
    }

    private static boolean isSafe(Store store, Acquisition held, long now) {
      return held.lease().terms().mayBeHandedOff() && GateRule.isSafe(store, held.lease(), now);
    }

    private boolean isUnasked() {
      return alone && askedAt == null;
    }
  }
}
