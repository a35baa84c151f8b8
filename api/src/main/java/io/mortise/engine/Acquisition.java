package io.mortise.engine;

import io.mortise.LeaseState;
import io.mortise.spi.BackendException.Outcome;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One remote acquisition, from before its first command until after its last. It belongs to a gate
 * or a lease, not to a thread: threads of a gate take it over from each other. Its id is never used
 * again, so a late or repeated command cannot touch a later acquisition.
 *
 * <p>The waiting side is used by the gate's agent alone, or under the lease's monitor, but for what
 * messages and the replies to others' commands say. The held side is read by anybody and changed
 * under this object's monitor, in which nothing blocks; exactly one call of {@link #end} succeeds.
 */
final class Acquisition {
  /** Redis keeps expiry in whole milliseconds, so a key may go up to one earlier than its lease. */
  private static final long STORE_TICK = TimeUnit.MILLISECONDS.toNanos(1);

  /** How much faster than ours a server's clock may run: one part in a hundred. */
  private static final int DRIFT = 100;

  private final Owner owner;
  private final String id;

  private volatile boolean signalled;
  private volatile @Nullable Long letInAt;
  private @Nullable ClockSample sample;
  private boolean sent;
  private long askedAt;
  private long nextCheck;

  /** Whether the store may know the id, and whether it might before the command that is out. */
  private volatile boolean known;

  private boolean knownBefore;

  /** Whether a command is out, and whether one was given up that may still arrive. */
  private volatile boolean out;

  private volatile boolean stray;

  /** Whether what the last commands did is not known. */
  private boolean uncertain;

  /** Whether somebody forced the lock open when this id held it; it never holds again. */
  private boolean thrownOut;

  private String ticket = "";

  /** What is said about a hold at most once. */
  enum Warning {
    LONG_HOLD,
    OWN_WAIT,
    OWNER_DIED
  }

  private @Nullable Set<Warning> given;
  private volatile long token;
  private boolean renewing;
  private boolean lossTold;
  private @Nullable HoldEvents events;
  private long timedEnd;

  private volatile LeaseState state = LeaseState.RELEASED;
  private volatile boolean taken;
  private volatile @Nullable String lastTrouble;
  private volatile @Nullable String loss;
  private volatile LeasePolicy lease;
  private volatile long deadline;
  private long acquiredAt;
  private long renewedAt;
  private boolean drifts;

  Acquisition(Owner owner, String id, LeasePolicy lease) {
    this.owner = owner;
    this.id = id;
    this.lease = lease;
  }

  Owner owner() {
    return owner;
  }

  LockKeys keys() {
    return owner.keys();
  }

  String id() {
    return id;
  }

  String ticket() {
    return ticket;
  }

  /**
   * A message came: the store should be asked now. It may come before the answer that says to wait.
   */
  void signal() {
    signalled = true;
    owner.wake();
  }

  /**
   * The store has let it in; a reply to another command says so. If a command of its own was sent
   * since that one was, the store is asked once more: it may have been thrown out again.
   *
   * @param sentAt when the other command was sent
   */
  void letIn(long sentAt) {
    synchronized (this) {
      letInAt = mayBeLetIn(sentAt) ? sentAt : null;
    }
    signal();
  }

  /** Whether nothing of its own was sent since, nor was it thrown out. */
  synchronized boolean mayBeLetIn(long sentAt) {
    return !out && !thrownOut && sentAt - askedAt >= 0;
  }

  /** As of now a grant may be taken without asking, if its message tells when it was given. */
  synchronized void sampled(ClockSample seen) {
    sample = seen;
  }

  /**
   * A message tells of a grant. If it is certain how long that lasts, it is a lease that was last
   * renewed long ago; else the store is asked.
   *
   * @param grantedAt by the store's clock (us), or -1
   * @param epoch of the mailbox that heard it
   * @param whole what a lease is if it is renewed; no other begins like this
   */
  void granted(long grantedAt, int epoch, LeasePolicy whole, long now, QueueTimes times) {
    synchronized (this) {
      Long ends = sample == null ? null : sample.endOfGrant(grantedAt, epoch, now, times);
      letInAt =
          out || thrownOut || ends == null || ends - now <= 0
              ? null
              : Math.min(now, ends - whole.nanos() + STORE_TICK);
    }
    signal();
  }

  /**
   * Somebody forced the lock open when this id held it. It cannot be taken from now on, whatever
   * answer says that it holds the lock: such an answer is older.
   */
  synchronized void throwOut() {
    thrownOut = true;
    letInAt = null;
    sample = null;
  }

  /**
   * When the command was sent that let it in; null if none has since it asked last, or its lease is
   * over.
   *
   * @param whole what a lease is if it is renewed
   */
  @Nullable Long letInAt(LeasePolicy whole, long now) {
    Long sentAt = letInAt;
    return sentAt != null && now - sentAt < whole.nanos() - STORE_TICK ? sentAt : null;
  }

  boolean isDue(long now) {
    return !sent || signalled || now - nextCheck >= 0;
  }

  long untilCheck(long now) {
    return nextCheck - now;
  }

  /** Before a command is sent; a message that comes from now on counts for the next one. */
  synchronized void sending(long now) {
    signalled = false;
    letInAt = null;
    sample = null;
    askedAt = now;
    sent = true;
    nextCheck = now;
    knownBefore = known;
    out = true; // before: who finds it known asks whether it may arrive late
    known = true;
  }

  void answered() {
    out = false;
    uncertain = false;
  }

  void failed(Outcome outcome, long retryAt) {
    out = false;
    nextCheck = retryAt;
    if (outcome == Outcome.UNKNOWN) {
      uncertain = true;
      stray = true;
    } else if (outcome == Outcome.NOT_EXECUTED) {
      known = knownBefore;
    }
  }

  /**
   * The store has put it into the queue: the next check is when the lock's lease ends, at the
   * latest after about the re-check period.
   */
  void queued(Reply.Waiting waiting, long now, QueueTimes times) {
    ticket = Long.toString(waiting.ticket());
    long recheck = times.recheck().toNanos();
    long period = recheck + ThreadLocalRandom.current().nextLong(-recheck / 10, recheck / 10);
    long lease = TimeUnit.MILLISECONDS.toNanos(waiting.left()) + STORE_TICK;
    nextCheck = now + (waiting.left() < 0 ? period : Math.min(period, lease));
  }

  /** It stands in line where another stood that cannot be had any more. */
  void succeeds(Acquisition other) {
    ticket = other.ticket;
  }

  /** Whether the store may know this id: a command was sent, and not certainly in vain. */
  boolean mayBeKnown() {
    return known;
  }

  /** Whether nobody knows what the last commands did. */
  boolean isUncertain() {
    return uncertain;
  }

  /** Whether a command may still arrive, so that this id must be kept from acquiring. */
  boolean mayArriveLate() {
    return stray || out;
  }

  /** What becomes of an acquisition of which the store says that it holds the lock. */
  enum Taking {
    /** It is held. */
    HELD,
    /** It is not: its lease has already ended. */
    TOO_LATE,
    /** It is not: it was thrown out meanwhile. */
    THROWN_OUT
  }

  /**
   * The store says that this id holds the lock.
   *
   * @param sentAt when the command was sent that it answered
   */
  synchronized Taking take(LeasePolicy policy, long sentAt, long now, long longestHold) {
    if (thrownOut) {
      return Taking.THROWN_OUT;
    }
    long length = certain(policy);
    long ends = sentAt + (policy.renewed() ? Math.min(length, longestHold) : length);
    if (now - ends >= 0) {
      return Taking.TOO_LATE;
    }
    lease = policy;
    acquiredAt = now;
    taken = true;
    renewedAt = sentAt;
    deadline = ends;
    state = LeaseState.HELD;
    return Taking.HELD;
  }

  /** So much of a lease is certain, from before its command was sent. */
  private long certain(LeasePolicy policy) {
    return policy.nanos() - STORE_TICK - (drifts ? drift(policy) : 0);
  }

  private static long drift(LeasePolicy policy) {
    return policy.nanos() / DRIFT + STORE_TICK;
  }

  /** From now on it ends earlier, by as much as the clocks may drift apart during each lease. */
  synchronized void allowForDrift() {
    if (!drifts) {
      drifts = true;
      deadline -= drift(lease);
    }
  }

  /**
   * The store has confirmed the lease again. An ended lease is never revived, and no answer brings
   * the deadline forward.
   *
   * @param whole of the leases that the keeper gives: one that was extended by less is not renewed
   *     any later for it
   * @return the state before; {@code LOST} if the answer came too late
   */
  synchronized LeaseState renewed(
      LeasePolicy policy, LeasePolicy whole, long sentAt, long now, long longestHold) {
    LeaseState before = state;
    if (!isHeld() || now - deadline >= 0) {
      return before == LeaseState.RELEASED ? before : LeaseState.LOST;
    }
    long ends = sentAt + certain(policy);
    long limit = acquiredAt + longestHold;
    ends = policy.renewed() && ends - limit > 0 ? limit : ends;
    lease = policy;
    long asOf = sentAt + Math.min(0, policy.nanos() - whole.nanos());
    renewedAt = asOf - renewedAt > 0 ? asOf : renewedAt;
    deadline = ends - deadline > 0 ? ends : deadline;
    state = LeaseState.HELD;
    lastTrouble = null;
    return before;
  }

  /**
   * A renewal failed.
   *
   * @return whether that is news
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
   * Ends the hold as {@code RELEASED} or {@code LOST}.
   *
   * @return whether it was held until now
   */
  synchronized boolean end(LeaseState how) {
    boolean wasHeld = isHeld();
    if (wasHeld) {
      state = how;
    }
    return wasHeld;
  }

  /**
   * Ends the hold as {@code LOST}.
   *
   * @return whether it was held until now
   */
  synchronized boolean lose(String reason) {
    boolean wasHeld = end(LeaseState.LOST);
    if (wasHeld) {
      loss = reason;
    }
    return wasHeld;
  }

  /** It was given back, and the store no longer had it. */
  void wasLost(String reason) {
    loss = reason;
  }

  /** What is known of the loss, for people. */
  String loss() {
    String known = loss;
    return known == null ? "its lease ended" : known;
  }

  /** What the last renewal failed with; null if none has failed since one succeeded. */
  @Nullable String lastTrouble() {
    return lastTrouble;
  }

  /** Whether it is held, or has been. */
  boolean wasTaken() {
    return taken;
  }

  boolean isHeld() {
    LeaseState now = state;
    return now == LeaseState.HELD || now == LeaseState.SUSPECT;
  }

  /** Whether it is held, and its deadline has not passed. */
  boolean isValid(long now) {
    return isHeld() && now - deadline < 0;
  }

  /** The state as of now: a hold whose deadline has passed is lost, whoever has noticed. */
  LeaseState state(long now) {
    LeaseState known = state;
    boolean ended = known != LeaseState.RELEASED && now - deadline >= 0;
    return ended ? LeaseState.LOST : known;
  }

  /** Before it is held: the first of its fencing tokens, or 0. */
  void setToken(long first) {
    token = first;
  }

  long token() {
    return token;
  }

  LeasePolicy lease() {
    return lease;
  }

  long remaining(long now) {
    return Math.max(0, deadline - now);
  }

  long deadline() {
    return deadline;
  }

  synchronized long acquiredAt() {
    return acquiredAt;
  }

  synchronized long renewedAt() {
    return renewedAt;
  }

  // The keeper's notes

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

  /**
   * Notes that listeners are about to be told of a state.
   *
   * @return false if they know already that the hold is lost: a renewal that failed at the same
   *     moment, on another thread, is no news after that
   */
  synchronized boolean tells(LeaseState told) {
    boolean news = !lossTold;
    lossTold = lossTold || told == LeaseState.LOST;
    return news;
  }

  /** A hold begins whose events are these; each hold of an acquisition has its own. */
  synchronized void tellBy(HoldEvents next) {
    events = next;
  }

  /** The events of its last hold. */
  synchronized HoldEvents events() {
    HoldEvents known = events == null ? HoldEvents.begun() : events;
    events = known;
    return known;
  }

  /**
   * Notes that a timer is about to be set for this deadline.
   *
   * @return whether it had none yet
   */
  synchronized boolean timeEnd(long end) {
    boolean news = timedEnd != end;
    timedEnd = end;
    return news;
  }

  synchronized boolean warnOnce(Warning warning) {
    Set<Warning> before = given == null ? EnumSet.noneOf(Warning.class) : given;
    given = before;
    return before.add(warning);
  }
}
