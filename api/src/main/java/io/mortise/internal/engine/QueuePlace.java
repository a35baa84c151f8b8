package io.mortise.internal.engine;

import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.spi.BackendException.Outcome;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The waiting half of an acquisition: what was asked of the store, and what it said. Used by the
 * gate's agent alone, or under the monitor of the lease request, but for what messages and the
 * replies to others' commands say.
 */
final class QueuePlace {
  /** Whether a message came since the last command. */
  private volatile boolean signalled;

  /** When the command was sent whose reply granted the lock, or an equivalent of it. */
  private volatile @Nullable Long grantSentAt;

  private @Nullable GrantClock sample;
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
  private boolean revoked;

  private String ticket = "";

  /** The place in the queue, to be sent again; empty if the store never said one. */
  String ticket() {
    return ticket;
  }

  /** The store should be asked now. */
  void signal() {
    signalled = true;
  }

  /**
   * The reply to another command granted the lock. If a command of its own was sent since that one
   * was, the store is asked once more: the grant may have been revoked.
   *
   * @param sentAt when the other command was sent
   */
  synchronized void grantedByReply(long sentAt) {
    grantSentAt = mayBeGranted(sentAt) ? sentAt : null;
  }

  /** Whether nothing of its own was sent since, nor was it thrown out. */
  synchronized boolean mayBeGranted(long sentAt) {
    return !out && !revoked && sentAt - askedAt >= 0;
  }

  /** As of now a grant may be taken without asking, if its message tells when it was given. */
  synchronized void sampled(GrantClock seen) {
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
  synchronized void grantedByMessage(
      long grantedAt, int epoch, LeaseTerms whole, long now, QueueTimes times) {
    Long ends = sample == null ? null : sample.endOfGrant(grantedAt, epoch, now, times);
    grantSentAt =
        out || revoked || ends == null || ends - now <= 0
            ? null
            : Math.min(now, ends - whole.nanos() + HeldLease.STORE_TICK);
  }

  /**
   * Somebody forced the lock open when this id held it. It cannot be taken from now on, whatever
   * answer says that it holds the lock: such an answer is older.
   */
  synchronized void revoke() {
    revoked = true;
    grantSentAt = null;
    sample = null;
  }

  /** Whether it can never hold the lock again. */
  synchronized boolean isRevoked() {
    return revoked;
  }

  /**
   * When the command was sent that let it in; null if none has since it asked last, or its lease is
   * over.
   *
   * @param whole what a lease is if it is renewed
   */
  @Nullable Long grantSentAt(LeaseTerms whole, long now) {
    Long sentAt = grantSentAt;
    return sentAt != null && now - sentAt < whole.nanos() - HeldLease.STORE_TICK ? sentAt : null;
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
    grantSentAt = null;
    sample = null;
    askedAt = now;
    sent = true;
    nextCheck = now;
    knownBefore = known;
    out = true; // before: a reader that finds it known asks whether it may arrive late
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
  void queued(AcquireReply.Waiting waiting, long now, QueueTimes times) {
    ticket = Long.toString(waiting.ticket());
    long recheck = times.recheck().toNanos();
    long period = recheck + ThreadLocalRandom.current().nextLong(-recheck / 10, recheck / 10);
    long lease = TimeUnit.MILLISECONDS.toNanos(waiting.left()) + HeldLease.STORE_TICK;
    nextCheck = now + (waiting.left() < 0 ? period : Math.min(period, lease));
  }

  /** It stands in line where another stood that cannot be had any more. */
  void succeeds(QueuePlace other) {
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
}
