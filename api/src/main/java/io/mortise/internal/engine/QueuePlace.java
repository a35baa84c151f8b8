package io.mortise.internal.engine;

import io.mortise.internal.told.ToldHold.WaitReply;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.spi.BackendException.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The waiting half of an acquisition: what was asked of the store, and what it answered. It is used
 * by the gate's agent alone, or under the monitor of the lease request. Messages and the replies to
 * other commands are the exceptions.
 */
final class QueuePlace {
  /** Whether a message came since the last command. */
  private volatile boolean signalled;

  /** When the command was sent whose reply granted the lock, or a time that is equivalent. */
  private volatile @Nullable Long grantSentAt;

  private boolean sent;
  private long askedAt;
  private long nextCheck;

  /** Whether the store may know the id, and whether it might before the command that is out. */
  private volatile boolean known;

  private boolean knownBefore;

  /** Whether a command is out, and whether one was given up that may still arrive. */
  private volatile boolean out;

  private volatile boolean stray;

  /** Whether it is unknown what the last commands did. */
  private boolean uncertain;

  /** Whether a force unlock ended this id's hold; the id never holds again. */
  private boolean revoked;

  private volatile String ticket = "";

  private @Nullable WaitReply lastWait;

  /**
   * What the service gave back when an attempt asked first; null if nothing, or if it was heeded.
   */
  private @Nullable CompletableFuture<Void> leaving;

  /**
   * Its ticket: the place in the queue, which each command sends again. Empty if the store never
   * gave one.
   */
  String ticket() {
    return ticket;
  }

  /** The store should be asked now. */
  void signal() {
    signalled = true;
  }

  /**
   * The reply to another command granted the lock. If this acquisition sent a command of its own
   * after that one, it asks the store once more: the grant may have been revoked.
   *
   * @param sentAt when the other command was sent
   */
  synchronized void grantedByReply(long sentAt) {
    grantSentAt = mayBeGranted(sentAt) ? sentAt : null;
  }

  /** Whether it has sent no command of its own since then, and was not revoked. */
  synchronized boolean mayBeGranted(long sentAt) {
    return !out && !revoked && sentAt - askedAt >= 0;
  }

  /** A message reports a grant. The store is asked, whatever a reply granted before. */
  synchronized void grantedByMessage() {
    grantSentAt = null;
  }

  /**
   * A force unlock ended this id's hold. From now on it cannot be taken, whatever reply says that
   * it holds the lock: such a reply is older.
   */
  synchronized void revoke() {
    revoked = true;
    grantSentAt = null;
  }

  /** Whether it was revoked, so that it never holds the lock again. */
  synchronized boolean isRevoked() {
    return revoked;
  }

  /**
   * When the command was sent that granted it the lock. Null if no grant came since it last asked,
   * or if that lease is over.
   *
   * @param whole the default lease, which is renewed
   */
  @Nullable Long grantSentAt(LeaseTerms whole, long now) {
    Long sentAt = grantSentAt;
    return sentAt != null && now - sentAt < whole.nanos() - HeldLease.STORE_TICK ? sentAt : null;
  }

  /** When its last command was sent. */
  long askedAt() {
    return askedAt;
  }

  boolean isDue(long now) {
    return !sent || signalled || now - nextCheck >= 0;
  }

  long untilCheck(long now) {
    return nextCheck - now;
  }

  /**
   * Called before a command is sent. A message that comes from now on counts for the next command.
   */
  synchronized void sending(long now) {
    signalled = false;
    grantSentAt = null;
    askedAt = now;
    sent = true;
    nextCheck = now;
    knownBefore = known;
    out = true; // first: a reader that finds it known asks whether it may arrive late
    known = true;
  }

  /** An attempt that does not wait is about to ask, while its service gives that back. */
  void asksWhile(@Nullable CompletableFuture<Void> goesBack) {
    leaving = sent ? null : goesBack;
  }

  /**
   * An attempt was refused. What its service gave back when it first asked may be the reason, so it
   * asks once more when that is answered, but at the latest at that time.
   *
   * @return what it waits for; null if the refusal counts
   */
  @Nullable CompletableFuture<Void> refused(long latest) {
    CompletableFuture<Void> goesBack = leaving;
    leaving = null;
    nextCheck = goesBack == null ? nextCheck : latest;
    return goesBack;
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
   * The store has put it into the queue. The next check is when the lock's lease ends, but at the
   * latest after about the re-check period. It is now if the store has not looked at all waiters.
   *
   * @param recheck that period (ns)
   */
  void queued(AcquireReply.Waiting waiting, long now, long recheck) {
    ticket = Long.toString(waiting.ticket());
    lastWait = new WaitReply(waiting.time(), now, now - askedAt);
    long period = recheck + ThreadLocalRandom.current().nextLong(-recheck / 10, recheck / 10);
    long lease = TimeUnit.MILLISECONDS.toNanos(waiting.left()) + HeldLease.STORE_TICK;
    long pause = waiting.left() < 0 ? period : Math.min(period, lease);
    nextCheck = waiting.left() == AcquireReply.AT_ONCE ? now : now + pause;
  }

  /** The last reply that said to wait; null if there was none. */
  @Nullable WaitReply lastWait() {
    return lastWait;
  }

  /** It takes the place in the queue of another acquisition, which can no longer get the lock. */
  void succeeds(QueuePlace other) {
    ticket = other.ticket;
  }

  /**
   * Whether the store may know this id: a command was sent, and it is not certain that it did not
   * run.
   */
  boolean mayBeKnown() {
    return known;
  }

  /** Whether it is unknown what the last commands did. */
  boolean isUncertain() {
    return uncertain;
  }

  /** Whether what the store says now came without a wait in the queue. */
  boolean isAtOnce() {
    return ticket.isEmpty() && !mayArriveLate();
  }

  /** Whether a command may still arrive, so that the store must keep this id from acquiring. */
  boolean mayArriveLate() {
    return stray || out;
  }
}
