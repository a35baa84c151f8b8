package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.LossCause;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.spi.TimeSource;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The held half of an acquisition: its lease, from being taken to its end. Any thread reads it. It
 * is changed under this object's monitor, in which nothing blocks. Exactly one call of {@link #end}
 * succeeds.
 *
 * <p>The deadline is by the monotonic clock. A step of the wall clock since the store last answered
 * puts the lease in doubt: the machine may have been suspended for as long. Then it is certain only
 * until the deadline less the steps. From there to the deadline it is <em>unsure</em>: it is not
 * valid, and not lost before the store has answered or has not. The time that is compared with it
 * is read from {@link ClockSteps}, which looks for a step. A reader may see a newer deadline with
 * older steps, and then is too careful.
 */
public final class HeldLease {
  /**
   * Why a hold was lost.
   *
   * @param cause for programs
   * @param reason what the service saw, for people
   */
  public record Loss(LossCause cause, String reason) {}

  /**
   * Redis keeps expiry in whole milliseconds, so a key may end up to one earlier than its lease.
   */
  static final long STORE_TICK = TimeUnit.MILLISECONDS.toNanos(1);

  /** How much faster than ours a server's clock may run: one part in a hundred. */
  private static final int DRIFT = 100;

  /** The warnings that are logged at most once per acquisition. */
  enum Warning {
    LONG_HOLD,
    OWN_WAIT,
    OWNER_DIED
  }

  /** A timer that is set for a deadline. */
  private record EndTimer(long end, Timer timer) {}

  /** Null before it was taken. */
  private volatile @Nullable LeaseState state;

  private volatile @Nullable String lastTrouble;
  private volatile @Nullable Loss loss;
  private volatile LeaseTerms terms;
  private volatile long deadline;

  /** When the command was sent that the store answered last. Later steps put the lease in doubt. */
  private volatile long confirmedAt;

  private final ClockSteps steps;
  private volatile long token;
  private volatile long acquiredAt;

  /** When it ends although it is renewed. */
  private volatile long limit;

  private long renewedAt;
  private boolean drifts;
  private volatile @Nullable Long keptUntil;

  /** Whether it was asked to last longer, also if the store has not answered. */
  private volatile boolean lengthened;

  private @Nullable Set<Warning> given;
  private volatile boolean renewing;
  private @Nullable HoldEvents events;
  private @Nullable EndTimer endTimer;

  HeldLease(LeaseTerms terms, ClockSteps steps) {
    this.terms = terms;
    this.steps = steps;
  }

  /**
   * The store says that the id holds the lock.
   *
   * @param sentAt when the command was sent that the store answered
   * @param begins what begins with the hold, in the same step; it does not block
   * @return false if the lease has already ended
   */
  synchronized boolean take(
      LeaseTerms wanted, long sentAt, long now, long longestHold, Runnable begins) {
    long length = certain(wanted);
    long most = Math.min(wanted.maxHold(), longestHold);
    long ends = sentAt + (wanted.renewed() ? Math.min(length, most) : length);
    if (now - ends + steps.since(sentAt) >= 0) {
      return false;
    }
    terms = wanted;
    acquiredAt = now;
    // A grant may answer a command of long ago, so the longest hold counts from now.
    limit = most < length ? ends : now + most;
    renewedAt = sentAt;
    confirmedAt = sentAt;
    deadline = ends;
    state = LeaseState.HELD;
    begins.run();
    return true;
  }

  /** The part of a lease that is certain, counted from before its command was sent (ns). */
  private long certain(LeaseTerms wanted) {
    return wanted.nanos() - STORE_TICK - (drifts ? drift(wanted) : 0);
  }

  private static long drift(LeaseTerms wanted) {
    return wanted.nanos() / DRIFT + STORE_TICK;
  }

  /** From now on it ends earlier, by as much as the clocks may drift apart during one lease. */
  synchronized void allowForDrift() {
    if (!drifts) {
      drifts = true;
      deadline -= drift(terms);
    }
  }

  /**
   * The store has confirmed the lease again. An ended lease is never revived, and no reply moves
   * the deadline forward to an earlier time.
   *
   * @param whole the lease that the keeper gives. A renewed lease that was extended by less keeps
   *     these terms, and counts as renewed earlier, so its next renewal is not delayed.
   * @return the state before; {@code LOST} if the reply came too late
   */
  synchronized LeaseState renewed(
      LeaseTerms wanted, LeaseTerms whole, long sentAt, long now, long longestHold) {
    LeaseState before = known();
    if (!isHeld() || now - deadline >= 0) {
      return before == LeaseState.RELEASED ? before : LeaseState.LOST;
    }
    if (wanted.renewed() && !terms.renewed()) {
      limit = acquiredAt + Math.min(longestHold, now - acquiredAt + wanted.maxHold());
    }
    long ends = sentAt + certain(wanted);
    ends = wanted.renewed() && ends - limit > 0 ? limit : ends;
    LeaseTerms longer = wanted.nanos() < whole.nanos() ? whole : wanted;
    terms = terms.renewed() ? longer.upTo(terms.maxHold()) : wanted;
    long asOf = sentAt + Math.min(0, wanted.nanos() - whole.nanos());
    renewedAt = asOf - renewedAt > 0 ? asOf : renewedAt;
    long known = deadline - settled(sentAt);
    deadline = ends - known > 0 ? ends : known;
    confirmed(sentAt);
    return before;
  }

  /**
   * The store has confirmed that the lease was held after a command was sent, and not for how long.
   * What may have been a suspension is taken off the lease. If nothing certain is left then, the
   * lease stays unsure.
   *
   * @return the state before
   */
  synchronized LeaseState looked(long sentAt, long now) {
    LeaseState before = known();
    long known = deadline - settled(sentAt);
    if (isHeld() && known - now > 0) {
      deadline = known;
      confirmed(sentAt);
    }
    return before;
  }

  /** The steps that were noticed before that command was sent, and that its answer settles. */
  private long settled(long sentAt) {
    return steps.since(confirmedAt) - steps.since(sentAt);
  }

  private void confirmed(long sentAt) {
    confirmedAt = sentAt - confirmedAt > 0 ? sentAt : confirmedAt;
    state = LeaseState.HELD;
    lastTrouble = null;
  }

  /**
   * A renewal failed.
   *
   * @return whether the state changes from {@code HELD} to {@code SUSPECT}
   */
  synchronized boolean suspect(String why) {
    boolean news = state == LeaseState.HELD;
    lastTrouble = why;
    if (news) {
      state = LeaseState.SUSPECT;
    }
    return news;
  }

  /**
   * The lock must not be free again before that time, also when the hold has ended before. Of
   * several such times the latest counts.
   */
  synchronized void keepUntil(long end) {
    Long known = keptUntil;
    keptUntil = known == null || end - known > 0 ? Long.valueOf(end) : known;
  }

  /**
   * How long the lock must still not be free (ns); 0 if it may be. Every release asks. The thread
   * that sets the time ends the hold after that.
   */
  long rest(long now) {
    Long until = keptUntil;
    return until == null ? 0 : Math.max(0, until - now);
  }

  /** Forgets that time. Returns it; null if there is none. */
  synchronized @Nullable Long forgetKept() {
    Long known = keptUntil;
    keptUntil = null;
    return known;
  }

  /** It is about to be made longer. So it is not passed on: nobody else has asked for that. */
  synchronized void lengthen() {
    lengthened = true;
  }

  boolean isLengthened() {
    return lengthened;
  }

  /**
   * Ends the hold as {@code RELEASED} or {@code LOST}.
   *
   * @return whether it was held until now
   */
  synchronized boolean end(LeaseState how) {
    boolean wasHeld = isHeld();
    if (wasHeld) {
      state = how;
      closeTimer(); // or it would stay until the deadline, with all that it refers to
    }
    return wasHeld;
  }

  /**
   * Ends the hold as {@code LOST}.
   *
   * @return whether it was held until now
   */
  synchronized boolean lose(Loss why) {
    boolean wasHeld = end(LeaseState.LOST);
    if (wasHeld) {
      loss = why;
    }
    return wasHeld;
  }

  /**
   * Passes the hold on by a step that must not meet its end, nor a doubt about it, nor a command
   * that makes it longer.
   *
   * @return whether it may be passed on; if not, the step does not run
   */
  synchronized boolean pass(Runnable step) {
    boolean may = state == LeaseState.HELD && !lengthened;
    if (may) {
      step.run();
    }
    return may;
  }

  /** The hold was released, but the store no longer had it. */
  void wasLost(Loss why) {
    loss = why;
  }

  /** The reason of the loss, for messages. */
  public String loss() {
    Loss known = loss;
    return known == null ? "its lease ended" : known.reason();
  }

  /** The failure of the last renewal; null if none has failed since one succeeded. */
  @Nullable String lastTrouble() {
    return lastTrouble;
  }

  /** Whether it is held, or was held before. */
  boolean wasTaken() {
    return state != null;
  }

  private LeaseState known() {
    LeaseState now = state;
    return now == null ? LeaseState.RELEASED : now;
  }

  boolean isHeld() {
    LeaseState now = state;
    return now == LeaseState.HELD || now == LeaseState.SUSPECT;
  }

  /** Whether it is certainly held. */
  boolean isValid(long now) {
    return isHeld() && remaining(now) > 0;
  }

  /** Whether only the store can say if it is still held. */
  public boolean isUnsure(long now) {
    return isHeld() && now - deadline < 0 && remaining(now) == 0;
  }

  /** For how long the machine may have been suspended since the store answered (ns). */
  long doubt() {
    return steps.since(confirmedAt);
  }

  /**
   * The state as of now. A hold whose deadline has passed is lost, also if no thread has noticed
   * it. One that is in doubt is suspect.
   */
  public LeaseState state(long now) {
    LeaseState known = known();
    boolean ended = known != LeaseState.RELEASED && now - deadline >= 0;
    boolean doubted = known == LeaseState.HELD && !ended && doubt() > 0;
    return ended ? LeaseState.LOST : doubted ? LeaseState.SUSPECT : known;
  }

  /** Sets the first of its fencing tokens, or 0. Called before it is held. */
  void setToken(long first) {
    token = first;
  }

  long token() {
    return token;
  }

  public LeaseTerms terms() {
    return terms;
  }

  /** How long it is certainly held (ns). */
  public long remaining(long now) {
    long left = deadline - now;
    return left <= 0 ? 0 : Math.max(0, left - doubt());
  }

  /** How long it is until it is lost without an answer (ns). */
  long untilLost(long now) {
    return Math.max(0, deadline - now);
  }

  /** Whether no renewal makes it last longer. */
  boolean isAtLimit() {
    return deadline - limit >= 0;
  }

  /** How long it is until no renewal makes it last longer (ns). */
  long untilLimit(long now) {
    return limit - now;
  }

  long acquiredAt() {
    return acquiredAt;
  }

  synchronized long renewedAt() {
    return renewedAt;
  }

  /**
   * Notes that a renewal is about to be sent.
   *
   * @return false if one is out already
   */
  synchronized boolean beginRenewal() {
    boolean begins = !renewing;
    renewing = true;
    return begins;
  }

  synchronized void endRenewal() {
    renewing = false;
  }

  /** Whether a renewal is out. */
  boolean isRenewing() {
    return renewing;
  }

  /** Sets the events of the hold that begins. Each hold of an acquisition has its own. */
  synchronized void setEvents(HoldEvents next) {
    events = next;
  }

  /** The events of its last hold; null if none were told. */
  synchronized @Nullable HoldEvents knownEvents() {
    return events;
  }

  /** The events of its last hold. */
  synchronized HoldEvents events() {
    HoldEvents known = events == null ? HoldEvents.begun() : events;
    events = known;
    return known;
  }

  /** Sets a timer for the deadline, unless it has one. The end of the hold closes it. */
  synchronized void timeEnd(TimeSource time, long now, Runnable atDeadline) {
    long end = deadline;
    if (isHeld() && (endTimer == null || endTimer.end() != end)) {
      closeTimer();
      Timer next = time.schedule(atDeadline, Duration.ofNanos(untilLost(now)));
      endTimer = new EndTimer(end, next);
    }
  }

  synchronized void closeTimer() {
    if (endTimer != null) {
      endTimer.timer().close();
      endTimer = null;
    }
  }

  synchronized boolean warnOnce(Warning warning) {
    Set<Warning> before = given == null ? EnumSet.noneOf(Warning.class) : given;
    given = before;
    return before.add(warning);
  }
}
