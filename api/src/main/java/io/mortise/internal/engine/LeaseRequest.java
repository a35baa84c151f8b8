package io.mortise.internal.engine;

import io.mortise.LockAttempt;
import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.told.ToldRequest;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lease, from before its first command until it has its {@link LeaseGrant} or has
 * ended. It waits in the store's queue by itself. If a thread waits for its result, that thread
 * sends the first command, and looks at the {@link LeaseGate} when it wakes. Thread-safe.
 */
final class LeaseRequest implements Acquisition.Asker, LeaseGate.Request {
  /* Overview
   *
   *   NEW       not begun: it can be found by its id, and asks for nothing yet
   *   LINE      waits for a lease of this service, and has not asked the store (see LeaseGate)
   *   WAITING   waits until it asks: now, when a message comes, or when its next check is due. The
   *             reply to another command may grant it the lock meanwhile
   *   ASKING    a command is out
   *   HELD      the lease was given out; from here on its LeaseGrant counts
   *   DONE      refused, failed or given up; what the store may know of it is withdrawn
   *
   * Transitions are under this object's monitor, in which nothing blocks and no command is sent.
   * What follows from a transition is returned as a Runnable, and run outside of the monitor.
   * Exactly one transition leads to HELD or DONE, and only that one completes the result. A time
   * limit that passes while a command is out ends the wait, not the request: the reply decides, as
   * it does for a thread.
   */
  private enum Phase {
    NEW,
    LINE,
    WAITING,
    ASKING,
    HELD,
    DONE
  }

  /** The requests of a service that have not ended. */
  interface Pending extends LeaseGrant.Home {
    Parts parts();

    /**
     * Whether a gate of the service gives that lock back now, which it retained. If so, runs the
     * task when the store has answered, or has not. Does not block.
     */
    boolean makesRoom(LockKeys lock, Runnable then);

    void remove(CompletableFuture<LeaseOutcome> result);

    /** A request begins. The gate at which the service passes its lease on; null if it does not. */
    @Nullable LeaseGate gate(Wanted wanted);
  }

  private final Parts parts;
  private final Store store;
  private final Pending pending;
  private final @Nullable VotingSet voters;
  private final LeaseGrant grant;

  /** Whether the thread that asks waits for the result. */
  private final boolean here;

  /** How long it waits (ns), as {@link LeaseSource} has it. */
  private final long wait;

  private final long start;
  private final Dialog dialog;

  private Phase phase = Phase.NEW;
  private Acquisition acquisition;
  private @Nullable Long firstAskedAt;
  private boolean timeIsOver;
  private boolean shown;

  /** The holder that was asked for what nobody uses, and for which it waits. */
  private @Nullable String recalledFrom;

  private @Nullable Timer timer;

  /** Cleared when complete: it refers to the lease, and a dropped lease must be noticed. */
  private @Nullable CompletableFuture<LeaseOutcome> result;

  /** Where it waits, if its lease may be passed on; null when it has its lease or has ended. */
  private volatile @Nullable LeaseGate gate;

  /**
   * @param wait how long it waits (ns), as {@link LeaseSource} has it
   * @param here whether the calling thread waits for the result. Then it sends the first command
   * @param result which it completes on the thread that delivers the reply. If a caller completes
   *     it first, {@link #endUnwanted} is called.
   */
  LeaseRequest(
      Pending pending,
      Wanted wanted,
      long wait,
      boolean here,
      CompletableFuture<LeaseOutcome> result) {
    this.here = here;
    this.pending = pending;
    parts = pending.parts();
    voters = wanted.voters();
    this.wait = wait;
    this.result = result;
    store = parts.store();
    start = store.now();
    ToldRequest told = parts.events().attempts().begins(wanted.keys(), start);
    grant = new LeaseGrant(parts, pending, wanted.keys(), told);
    dialog = new Dialog(parts, wanted.keys(), wanted.terms(), null);
    acquisition = newAcquisition();
    gate = pending.gate(wanted); // last: from here on it ends in any case
  }

  /** Asks for the first time, unless it may take what another has left, or waits for that. */
  void start() {
    if (patience() == Patience.LIMITED) {
      limit();
    }
    Runnable joined = join();
    if (joined != null) {
      joined.run();
    } else {
      begin();
      askFirst();
    }
  }

  private void askFirst() {
    if (store.retain() > 0 && pending.makesRoom(keys(), this::wake)) {
      return;
    }
    if (here) {
      ask();
    } else {
      wake();
    }
  }

  /** Takes what another has left, or waits in the line, if that may spare it a command. */
  private @Nullable Runnable join() {
    LeaseGate own = gate;
    return own == null || wait <= LeaseSource.NOT ? null : own.join(this);
  }

  /**
   * It takes what another request has left, if its thread was woken for that. The thread that waits
   * for the result calls it before each sleep.
   */
  void look() {
    LeaseGate own = gate;
    Runnable taken = own == null ? null : own.look(this);
    if (taken != null) {
      taken.run();
    }
  }

  private synchronized void begin() {
    phase = phase == Phase.NEW ? Phase.WAITING : phase;
  }

  private synchronized void limit() {
    if (result != null) {
      timer = store.time().schedule(this::timeIsOver, Duration.ofNanos(wait));
    }
  }

  /** A vote is confirmed by its own script, so no reply to another command may grant it. */
  private Acquisition newAcquisition() {
    long thread = grant.caller().thread().getId();
    return parts.acquisitions().create(this, grant, thread, dialog.terms(), voters == null);
  }

  @Override
  public LockKeys keys() {
    return grant.keys();
  }

  private Patience patience() {
    if (wait == LeaseSource.FOREVER) {
      return Patience.UNLIMITED;
    }
    return wait > LeaseSource.NOT || recalledFrom != null ? Patience.LIMITED : Patience.NONE;
  }

  // Asking

  @Override
  public void wake() {
    store.batcher().send(List.of(this));
  }

  private void ask() {
    List<Object> reply;
    try {
      ScriptCall call = makeCall();
      if (call == null) {
        return; // its service was closed meanwhile
      }
      reply = store.backend().execute(call);
    } catch (RuntimeException e) {
      answered(null, e);
      return;
    } catch (Error e) {
      end(e); // or it would ask without end
      throw e;
    }
    answered(reply, null);
  }

  synchronized boolean isDue() {
    return phase == Phase.WAITING && store.takesWork() && acquisition.place().isDue(store.now());
  }

  @Override
  public synchronized @Nullable ScriptCall makeCall() {
    if (!isDue()) {
      return null;
    }
    phase = Phase.ASKING;
    long now = store.now();
    firstAskedAt = firstAskedAt == null ? Long.valueOf(now) : firstAskedAt;
    dialog.asks(acquisition, patience(), now);
    boolean waits = patience() != Patience.NONE;
    LeaseTerms terms = dialog.terms();
    return voters == null
        ? store.scripts().acquire(acquisition, terms, waits, "")
        : store.scripts().vote(acquisition, terms, waits, voters, parts.voter().expected());
  }

  @Override
  public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return; // given up, and withdrawn
      }
      next = next(hears(reply, failure));
    }
    next.run();
  }

  private Dialog.Next hears(@Nullable List<Object> reply, @Nullable Throwable failure) {
    try {
      if (reply != null) {
        return dialog.hears(acquisition, reply, patience(), voters);
      }
    } catch (RuntimeException e) { // a reply that no script gives
      return dialog.failed(acquisition, Failures.cause(e), patience());
    }
    return dialog.failed(acquisition, Failures.cause(failure), patience());
  }

  private Runnable next(Dialog.Next next) {
    return switch (next) {
      case TAKE -> take(acquisition.place().askedAt());
      case QUEUED -> queued();
      case PAUSE -> pauses();
      case AWAIT_OWN -> awaitsOwn();
      case ASK_AGAIN -> waits(() -> {});
      case REPLACE -> replaces(parts.acquisitions()::forget);
      case REFUSED -> done(new LeaseOutcome(null, dialog.holder()), null);
      case RECALLED -> recalled();
      case OPEN -> done(new LeaseOutcome(null, null, true), null);
      case FAILED -> done(null, dialog.failure());
    };
  }

  private Runnable take(long sentAt) {
    Runnable[] held = new Runnable[1];
    return switch (taking(sentAt, held)) {
      case HELD -> held[0];
      case TOO_LATE -> heldTooLate();
      case REVOKED -> replaces(parts.releases()::withdraw); // the store may not remember that
    };
  }

  /** Its grant has the hold from the step on in which it is held. */
  private Taking taking(long sentAt, Runnable[] held) {
    long now = store.now();
    LeaseTerms terms = dialog.terms();
    return acquisition.take(terms, sentAt, now, store.longestHold(), () -> held[0] = held(now));
  }

  private Runnable queued() {
    Acquisition asked = acquisition;
    Runnable telling = waiting();
    return waits(() -> {
      telling.run();
      parts.redissonChannels().waits(asked);
      LeaseGate own = gate;
      if (own != null) {
        own.queued(this);
      }
    });
  }

  /**
   * Goes on with a new acquisition, for one that can no longer get the lock. It takes that one's
   * place in the queue.
   */
  private Runnable replaces(Consumer<Acquisition> ending) {
    Acquisition gone = acquisition;
    acquisition = newAcquisition();
    acquisition.place().succeeds(gone.place());
    return waits(() -> ending.accept(gone));
  }

  private Runnable awaitsOwn() {
    phase = Phase.WAITING;
    Acquisition asked = acquisition;
    CompletableFuture<Void> leaving = dialog.leaving();
    return () -> {
      CompletableFuture<Void> unused = leaving.thenRun(asked::signal);
    };
  }

  /** An attempt that was not to wait waits for the short time in which the lock comes back. */
  private Runnable recalled() {
    String who = dialog.holder();
    if (wait != LeaseSource.NOT || recalledFrom != null) {
      return done(new LeaseOutcome(null, who), null);
    }
    recalledFrom = who;
    timer = store.time().schedule(this::timeIsOver, QueueTimes.RECALL);
    acquisition.place().signal();
    return waits(() -> {});
  }

  private Runnable waits(Runnable first) {
    phase = Phase.WAITING;
    Runnable then = timeIsOver ? giveUp() : this::wake;
    return () -> {
      first.run();
      then.run();
    };
  }

  /**
   * Begins the hold, as a reply to its own command would. If it sent a later command, that one
   * decides.
   */
  @Override
  public void granted(Acquisition granted, long sentAt) {
    Runnable[] held = new Runnable[1];
    synchronized (this) {
      boolean begins =
          phase == Phase.WAITING
              && granted == acquisition
              && granted.place().mayBeGranted(sentAt)
              && store.takesWork()
              && taking(sentAt, held) == Taking.HELD;
      held[0] = begins ? held[0] : granted::signal;
    }
    held[0].run();
  }

  private Runnable held(long now) {
    Acquisition taken = acquisition;
    boolean atOnce = taken.ticket().isEmpty() && !taken.mayArriveLate();
    long placedAt = firstAskedAt == null ? start : firstAskedAt;
    LeaseHandle lease = grant.begins(taken, now);
    Runnable telling = parts.events().attempts().acquired(grant.told(), taken, now);
    return begins(
        lease,
        now,
        () -> {
          LeaseGate own = gate;
          if (own != null) {
            grant.mayBePassedOn(own.opened(taken, atOnce, placedAt));
          }
          parts.took(taken);
        },
        telling);
  }

  /** The hold begins. The first task runs before anybody has the lease, the other tells of it. */
  private Runnable begins(LeaseHandle lease, long now, Runnable first, Runnable telling) {
    phase = Phase.HELD;
    long waited = now - start;
    CompletableFuture<LeaseOutcome> waiting = forgetResult();
    return () -> {
      pending.remove(waiting);
      first.run();
      leaveGate();
      LockLog.acquired(lease.acquisition(), waited);
      telling.run();
      if (!waiting.complete(new LeaseOutcome(lease, null))) {
        CompletableFuture<Void> unused = lease.releaseAsync(); // nobody wants it any more
      }
    };
  }

  private void leaveGate() {
    LeaseGate own = gate;
    if (own != null) {
      gate = null; // a lease that is held for long does not keep it
      own.over(this);
    }
  }

  // What is passed on

  @Override
  public synchronized @Nullable Runnable lineUp() {
    if (phase != Phase.NEW || timeIsOver) {
      return null;
    }
    phase = Phase.LINE;
    return waiting();
  }

  @Override
  public synchronized boolean leaveLine() {
    boolean leaves = phase == Phase.LINE;
    phase = leaves ? Phase.WAITING : phase;
    return leaves;
  }

  @Override
  public synchronized boolean waitsAtStore() {
    return phase == Phase.WAITING || phase == Phase.ASKING;
  }

  @Override
  public synchronized @Nullable Runnable takeOver(LeaseGrant from, Acquisition held, long now) {
    if (phase != Phase.LINE && phase != Phase.NEW) {
      return null;
    }
    Runnable[] taken = new Runnable[1];
    return held.passTo(grant, () -> taken[0] = takesOver(from, held, now)) ? taken[0] : null;
  }

  private Runnable takesOver(LeaseGrant from, Acquisition held, long now) {
    Acquisition unused = acquisition;
    acquisition = held;
    grant.follows(from);
    LeaseHandle lease = grant.begins(held, now);
    Runnable telling = parts.events().attempts().takenOver(grant.told(), held, now);
    return begins(lease, now, () -> parts.acquisitions().forget(unused), telling);
  }

  @Override
  public boolean looks() {
    return here;
  }

  @Override
  public void wakeToLook() {
    store.time().unpark(grant.caller().thread());
  }

  // No answer, or none in time

  private Runnable pauses() {
    phase = Phase.WAITING;
    return timeIsOver ? giveUp() : waiting();
  }

  /**
   * Asks with a new id, but only at the next run of the timer, and no longer than after failures.
   */
  private Runnable heldTooLate() {
    Acquisition late = acquisition;
    acquisition = newAcquisition();
    List<LockException> told = new ArrayList<>(1);
    Runnable next = next(dialog.heldTooLate(patience(), timeIsOver ? why -> {} : told::add));
    return () -> {
      parts.releases().withdraw(late);
      told.forEach(why -> LockLog.tooLate(keys(), why));
      next.run();
    };
  }

  // Ending

  private void timeIsOver() {
    look(); // what was left for its thread is in time, also if that one has not run yet
    Runnable next;
    synchronized (this) {
      timeIsOver = true;
      boolean idle = phase == Phase.WAITING || phase == Phase.LINE;
      next = idle ? giveUp() : () -> {};
    }
    next.run();
  }

  /**
   * The caller has completed the result itself: by an interrupt, or because it wants it no more.
   */
  void endUnwanted(@Nullable Throwable why) {
    CancellationException unwanted = new CancellationException();
    if (why instanceof InterruptedException) {
      unwanted.initCause(why);
    }
    end(unwanted);
  }

  /** Ends the request with an exception, unless it has ended. */
  void end(Throwable why) {
    Runnable next;
    synchronized (this) {
      boolean ended = phase == Phase.HELD || phase == Phase.DONE;
      next = ended ? () -> {} : done(null, why);
    }
    next.run();
  }

  void close() {
    end(
        new LockServiceClosedException(
            "%s was waited for when its service %s was closed"
                .formatted(keys().text(), store.clientId())));
  }

  private Runnable giveUp() {
    return done(new LeaseOutcome(null, recalledFrom), dialog.failure());
  }

  private Runnable done(@Nullable LeaseOutcome value, @Nullable Throwable why) {
    phase = Phase.DONE;
    Runnable telling =
        parts.events().attempts().notAcquired(grant.told(), refusal(value), why, store.now());
    Acquisition orphan = acquisition;
    boolean unqueued =
        value != null && (value.open() || value.heldBy() != null) && recalledFrom == null;
    boolean known = orphan.place().mayBeKnown() && (!unqueued || orphan.mayArriveLate());
    CompletableFuture<LeaseOutcome> waiting = forgetResult();
    return () -> {
      pending.remove(waiting);
      leaveGate();
      telling.run();
      if (!known) {
        parts.acquisitions().forget(orphan);
      } else if (store.takesWork()) {
        parts.releases().withdraw(orphan);
      } // or else closing takes it out of the queue, with all others at once
      if (why != null) {
        waiting.completeExceptionally(why);
      } else {
        waiting.complete(value);
      }
    };
  }

  private LockAttempt.Outcome refusal(@Nullable LeaseOutcome value) {
    if (value != null && value.open()) {
      return LockAttempt.Outcome.OPEN;
    }
    return wait <= LeaseSource.NOT ? LockAttempt.Outcome.BUSY : LockAttempt.Outcome.TIMED_OUT;
  }

  /** Called by the one transition that ends the wait. */
  private CompletableFuture<LeaseOutcome> forgetResult() {
    CompletableFuture<LeaseOutcome> waiting = Objects.requireNonNull(result, "result");
    result = null;
    if (timer != null) {
      timer.close();
    }
    return waiting;
  }

  /**
   * It begins to wait: in the store's queue, in the line or for a store that fails. From now on it
   * is shown, and told, as one that waits. Call it under the monitor.
   */
  private Runnable waiting() {
    shown = true;
    return parts.events().attempts().waiting(grant.told());
  }

  /** When it began, if it has begun to wait and has not ended; else null. */
  synchronized @Nullable Long waitingSince() {
    return shown && phase != Phase.HELD && phase != Phase.DONE ? start : null;
  }

  @Override
  public String toString() {
    return "LeaseRequest[" + keys().name() + ", " + acquisition.id() + ']';
  }
}
