package io.mortise.internal.engine;

import io.mortise.LockAttempt;
import io.mortise.LockException;
import io.mortise.internal.engine.Acquisition.Asker;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.engine.Dialog.Patience;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A lease request's talk with the store, and with the one that waits for its result. It has the
 * acquisition, the commands for it, and another one where that can no longer get the lock. {@link
 * Dialog} says what the answers mean. It has the time limit, and the future that is completed once.
 * Used under the monitor of its request. What it returns as a Runnable runs outside.
 */
final class LeaseDialog {
  private final Parts parts;
  private final Asker asker;
  private final LeaseGrant grant;
  private final @Nullable VotingSet voters;

  /** How long the request waits (ns), as {@link LeaseSource} has it. */
  private final long wait;

  private final long start;
  private final Dialog dialog;
  private Acquisition acquisition;
  private @Nullable Long firstAskedAt;

  /** The holder that was asked for what nobody uses, and for which it waits. */
  private @Nullable String recalledFrom;

  private boolean shown;
  private @Nullable Timer timer;

  /** Cleared when complete: it refers to the lease, and a dropped lease must be noticed. */
  private @Nullable CompletableFuture<LeaseOutcome> result;

  /**
   * @param asker the request
   */
  LeaseDialog(
      Asker asker,
      LeaseGrant grant,
      Wanted wanted,
      long wait,
      CompletableFuture<LeaseOutcome> result) {
    parts = grant.parts();
    this.asker = asker;
    this.grant = grant;
    voters = wanted.voters();
    this.wait = wait;
    this.result = result;
    start = store().now();
    dialog = new Dialog(parts, wanted.keys(), wanted.terms(), null);
    acquisition = newAcquisition();
  }

  /** A vote is confirmed by its own script, so no reply to another command may grant it. */
  private Acquisition newAcquisition() {
    long thread = grant.caller().thread().getId();
    return parts.acquisitions().create(asker, grant, thread, dialog.terms(), voters == null);
  }

  private Store store() {
    return parts.store();
  }

  /** The one that it asks for, or has. */
  Acquisition acquisition() {
    return acquisition;
  }

  Patience patience() {
    if (wait == LeaseSource.FOREVER) {
      return Patience.UNLIMITED;
    }
    return wait > LeaseSource.NOT || recalledFrom != null ? Patience.LIMITED : Patience.NONE;
  }

  // Asking

  boolean isDue() {
    return acquisition.place().isDue(store().now());
  }

  /** The next command, which is about to be sent. */
  ScriptCall asks() {
    long now = store().now();
    firstAskedAt = firstAskedAt == null ? Long.valueOf(now) : firstAskedAt;
    dialog.asks(acquisition, patience(), now);
    boolean waits = patience() != Patience.NONE;
    LeaseTerms terms = dialog.terms();
    return voters == null
        ? store().scripts().acquire(acquisition, terms, waits, "")
        : store().scripts().vote(acquisition, terms, waits, voters, parts.voter().expected());
  }

  /** Since when it may have had its place in the queue. */
  long placedAt() {
    return firstAskedAt == null ? start : firstAskedAt;
  }

  Dialog.Next hears(@Nullable List<Object> reply, @Nullable Throwable failure) {
    try {
      if (reply != null) {
        return dialog.hears(acquisition, reply, patience(), voters);
      }
    } catch (RuntimeException e) { // a reply that no script gives
      return dialog.failed(acquisition, Failures.cause(e), patience());
    }
    return dialog.failed(acquisition, Failures.cause(failure), patience());
  }

  /** Why it failed last; null if the store has answered since. */
  @Nullable RuntimeException failure() {
    return dialog.failure();
  }

  /** The id that holds the lock, or "somebody", if it was refused. */
  String holder() {
    return dialog.holder();
  }

  // What follows

  /**
   * Takes what the store has granted.
   *
   * @param begins what begins with the hold, in the same step
   */
  Taking take(long sentAt, long now, Runnable begins) {
    return acquisition.take(dialog.terms(), sentAt, now, store().longestHold(), begins);
  }

  /**
   * Goes on with a new acquisition, which takes the place of the present one in the queue. Returns
   * that one.
   */
  Acquisition replaces() {
    Acquisition gone = startsAgain();
    acquisition.place().succeeds(gone.place());
    return gone;
  }

  /** Goes on with a new acquisition, which queues anew. Returns the present one. */
  Acquisition startsAgain() {
    return takesOver(newAcquisition());
  }

  /** It has got another one's acquisition. Returns its own. */
  Acquisition takesOver(Acquisition next) {
    Acquisition last = acquisition;
    acquisition = next;
    return last;
  }

  /** It is refused by what its own service gives back. Returns what makes it ask after that. */
  Runnable awaitsOwn() {
    Acquisition asked = acquisition;
    CompletableFuture<Void> leaving = dialog.leaving();
    return () -> {
      CompletableFuture<Void> unused = leaving.thenRun(asked::signal);
    };
  }

  /** As {@link Dialog#heldTooLate}. */
  Dialog.Next heldTooLate(Consumer<LockException> told) {
    return dialog.heldTooLate(patience(), told);
  }

  /**
   * An attempt that was not to wait waits for the short time in which the lock comes back.
   *
   * @param timeIsOver runs at the end of that time
   * @return false if it is refused all the same
   */
  boolean recalls(Runnable timeIsOver) {
    if (wait != LeaseSource.NOT || recalledFrom != null) {
      return false;
    }
    recalledFrom = dialog.holder();
    acquisition.place().signal();
    limit(QueueTimes.RECALL, timeIsOver);
    return true;
  }

  /** The holder for which it waited though it was not to wait; null if it did not. */
  @Nullable String recalledFrom() {
    return recalledFrom;
  }

  /** The request ends with that. Returns what takes back what the store may know of it. */
  Runnable withdrawing(@Nullable LeaseOutcome outcome) {
    boolean unqueued =
        outcome != null && (outcome.open() || outcome.heldBy() != null) && recalledFrom == null;
    Acquisition orphan = acquisition;
    boolean known = orphan.place().mayBeKnown() && (!unqueued || orphan.mayArriveLate());
    return () -> {
      if (!known) {
        parts.acquisitions().forget(orphan);
      } else if (store().takesWork()) {
        parts.releases().withdraw(orphan);
      } // or else closing takes it out of the queue, with all others at once
    };
  }

  // Its time and its result

  /** When the request began. */
  long start() {
    return start;
  }

  /** Whether it waits, and not for a recall alone. */
  boolean waits() {
    return wait > LeaseSource.NOT;
  }

  /** Runs the task when its time is over, if that has a limit and it has not ended. */
  void limit(Runnable timeIsOver) {
    if (patience() == Patience.LIMITED) {
      limit(Duration.ofNanos(wait), timeIsOver);
    }
  }

  private void limit(Duration longest, Runnable timeIsOver) {
    if (result != null) {
      timer = store().time().schedule(timeIsOver, longest);
    }
  }

  /**
   * It begins to wait: in the store's queue, in the line or for a store that fails. From now on it
   * is shown, and told, as one that waits.
   */
  Runnable waiting() {
    shown = true;
    return parts.events().attempts().waiting(grant.told());
  }

  /** When it began, if it has begun to wait and has not ended; else null. */
  @Nullable Long waitingSince() {
    return shown && result != null ? start : null;
  }

  Runnable notAcquired(@Nullable LeaseOutcome value, @Nullable Throwable why) {
    return parts.events().attempts().notAcquired(grant.told(), refusal(value), why, store().now());
  }

  private LockAttempt.Outcome refusal(@Nullable LeaseOutcome value) {
    if (value != null && value.open()) {
      return LockAttempt.Outcome.OPEN;
    }
    return waits() ? LockAttempt.Outcome.TIMED_OUT : LockAttempt.Outcome.BUSY;
  }

  /** Called by the one transition that ends the wait. Returns what is now to be completed. */
  CompletableFuture<LeaseOutcome> takeResult() {
    CompletableFuture<LeaseOutcome> waiting = Objects.requireNonNull(result, "result");
    result = null;
    if (timer != null) {
      timer.close();
    }
    return waiting;
  }
}
