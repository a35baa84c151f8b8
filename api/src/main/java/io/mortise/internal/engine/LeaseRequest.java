package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.ScriptCall;
import java.util.ArrayList;
import java.util.List;
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
   * What follows from a transition is returned as a Runnable, and run outside of the monitor as one
   * step. So a listener that runs in place runs after it. Exactly one transition leads to HELD or
   * DONE, and only that one completes the result. A time limit that passes while a command is out
   * ends the wait, not the request: the reply decides, as it does for a thread.
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
  interface Home extends LeaseGrant.Home {
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

  private final Home home;
  private final LeaseGrant grant;

  /** Whether the thread that asks waits for the result. */
  private final boolean here;

  private final LeaseDialog dialog;
  private Phase phase = Phase.NEW;
  private boolean timeIsOver;

  /** Where it waits, if its lease may be passed on; null when it has its lease or has ended. */
  private volatile @Nullable LeaseGate gate;

  /** Its arguments are those of {@link LeaseRequests#start}. */
  LeaseRequest(
      Home home, Wanted wanted, long wait, boolean here, CompletableFuture<LeaseOutcome> result) {
    this.here = here;
    this.home = home;
    grant = new LeaseGrant(home.parts(), home, wanted.keys());
    dialog = new LeaseDialog(this, grant, wanted, wait, result);
    gate = home.gate(wanted); // last: from here on it ends in any case
  }

  private Parts parts() {
    return home.parts();
  }

  /** Asks for the first time, unless it may take what another has left, or waits for that. */
  void start() {
    limit();
    Runnable joined = join();
    if (joined != null) {
      Trampoline.step(joined);
    } else {
      begin();
      askFirst();
    }
  }

  private void askFirst() {
    boolean later = parts().store().retain() > 0 && home.makesRoom(keys(), this::wake);
    if (!later && here) {
      ask();
    } else if (!later) {
      wake();
    }
  }

  /** Takes what another has left, or waits in the line, if that may spare it a command. */
  private @Nullable Runnable join() {
    LeaseGate own = gate;
    return own == null || !dialog.waits() ? null : own.join(this);
  }

  /** The thread that waits calls it before each sleep. It takes what was left for it meanwhile. */
  void look() {
    LeaseGate own = gate;
    Runnable taken = own == null ? null : own.look(this);
    if (taken != null) {
      Trampoline.step(taken);
    }
  }

  private synchronized void begin() {
    phase = phase == Phase.NEW ? Phase.WAITING : phase;
  }

  private synchronized void limit() {
    dialog.limit(this::timeIsOver);
  }

  @Override
  public LockKeys keys() {
    return grant.keys();
  }

  // Asking

  @Override
  public void wake() {
    parts().store().batcher().send(List.of(this));
  }

  private void ask() {
    try {
      parts().store().batcher().execute(this);
    } catch (Error e) {
      end(e); // or it would ask without end
      throw e;
    }
  }

  synchronized boolean isDue() {
    return phase == Phase.WAITING && parts().store().takesWork() && dialog.isDue();
  }

  @Override
  public synchronized @Nullable ScriptCall makeCall() {
    if (!isDue()) {
      return null;
    }
    phase = Phase.ASKING;
    return dialog.asks();
  }

  @Override
  public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return; // given up, and withdrawn
      }
      next = hears(reply, failure);
    }
    Trampoline.step(next);
  }

  private Runnable hears(@Nullable List<Object> reply, @Nullable Throwable failure) {
    try {
      return next(dialog.hears(reply, failure));
    } catch (Throwable e) { // an Error too: nobody would ask again, or give it back
      return () -> end(e);
    }
  }

  private Runnable next(Dialog.Next next) {
    return switch (next) {
      case TAKE -> take(dialog.acquisition().place().askedAt());
      case QUEUED -> queued();
      case PAUSE -> pauses();
      case AWAIT_OWN -> awaitsOwn();
      case ASK_AGAIN -> waits(() -> {});
      case REPLACE -> replaces(parts().acquisitions()::forget);
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
      case REVOKED -> replaces(parts().releases()::withdraw); // the store may not remember that
    };
  }

  /** Its grant has the hold from the step on in which it is held. */
  private Taking taking(long sentAt, Runnable[] held) {
    long now = parts().store().now();
    parts().keeper().start();
    return dialog.take(sentAt, now, () -> held[0] = held(now));
  }

  private Runnable queued() {
    Acquisition asked = dialog.acquisition();
    Runnable telling = dialog.waiting();
    return waits(() -> {
      telling.run();
      parts().redissonChannels().waits(asked);
      LeaseGate own = gate;
      if (own != null) {
        own.queued(this);
      }
    });
  }

  /** Goes on with a new acquisition, for one that can no longer get the lock. */
  private Runnable replaces(Consumer<Acquisition> ending) {
    Acquisition gone = dialog.replaces();
    return waits(() -> ending.accept(gone));
  }

  private Runnable awaitsOwn() {
    phase = Phase.WAITING;
    return dialog.awaitsOwn();
  }

  /** An attempt that was not to wait waits for the short time in which the lock comes back. */
  private Runnable recalled() {
    if (!dialog.recalls(this::timeIsOver)) {
      return done(new LeaseOutcome(null, dialog.holder()), null);
    }
    return waits(() -> {});
  }

  private Runnable waits(Runnable first) {
    phase = Phase.WAITING;
    Runnable then = timeIsOver ? giveUp() : this::wake;
    return Trampoline.all(first, then);
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
              && granted == dialog.acquisition()
              && granted.place().mayBeGranted(sentAt)
              && parts().store().takesWork()
              && taking(sentAt, held) == Taking.HELD;
      held[0] = begins ? held[0] : granted::signal;
    }
    Trampoline.step(held[0]);
  }

  private Runnable held(long now) {
    Acquisition taken = dialog.acquisition();
    boolean atOnce = taken.place().isAtOnce();
    long placedAt = dialog.placedAt();
    return begins(
        taken,
        now,
        () -> {
          LeaseGate own = gate;
          if (own != null) {
            grant.mayBePassedOn(own.opened(taken, atOnce, placedAt));
          }
          parts().took(taken);
        });
  }

  /** The hold begins. The task runs before anybody has the lease. */
  private Runnable begins(Acquisition held, long now, Runnable first) {
    LeaseHandle lease = new LeaseHandle(grant, held, now);
    grant.begins(lease, now);
    Runnable telling = grant.acquired(held, now);
    phase = Phase.HELD;
    long waited = now - dialog.start();
    CompletableFuture<LeaseOutcome> waiting = dialog.takeResult();
    Runnable completing =
        () -> {
          LockLog.acquired(held, waited);
          if (!waiting.complete(new LeaseOutcome(lease, null))) {
            CompletableFuture<Void> unused = lease.releaseAsync(); // nobody wants it any more
          }
        };
    return Trampoline.all(() -> home.remove(waiting), first, this::leaveGate, telling, completing);
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
    return dialog.waiting();
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
    Acquisition unused = dialog.takesOver(held);
    grant.follows(from);
    return begins(held, now, () -> parts().acquisitions().forget(unused));
  }

  @Override
  public boolean looks() {
    return here;
  }

  @Override
  public void wakeToLook() {
    parts().store().time().unpark(grant.caller().thread());
  }

  // No answer, or none in time

  private Runnable pauses() {
    phase = Phase.WAITING;
    return timeIsOver ? giveUp() : dialog.waiting();
  }

  /**
   * Asks with a new id, but only at the next run of the timer, and no longer than after failures.
   */
  private Runnable heldTooLate() {
    Acquisition late = dialog.startsAgain();
    List<LockException> told = new ArrayList<>(1);
    Runnable next = next(dialog.heldTooLate(timeIsOver ? why -> {} : told::add));
    return Trampoline.all(
        () -> parts().releases().withdraw(late),
        () -> told.forEach(why -> LockLog.tooLate(keys(), why)),
        next);
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
    Trampoline.step(next);
  }

  /** Ends the request with an exception, unless it has ended. */
  void end(Throwable why) {
    Runnable next;
    synchronized (this) {
      boolean ended = phase == Phase.HELD || phase == Phase.DONE;
      next = ended ? () -> {} : done(null, why);
    }
    Trampoline.step(next);
  }

  private Runnable giveUp() {
    return done(new LeaseOutcome(null, dialog.recalledFrom()), dialog.failure());
  }

  private Runnable done(@Nullable LeaseOutcome value, @Nullable Throwable why) {
    phase = Phase.DONE;
    Runnable telling = dialog.notAcquired(value, why);
    Runnable withdrawing = dialog.withdrawing(value);
    CompletableFuture<LeaseOutcome> waiting = dialog.takeResult();
    Runnable completing =
        why != null ? () -> waiting.completeExceptionally(why) : () -> waiting.complete(value);
    return Trampoline.all(
        () -> home.remove(waiting), this::leaveGate, telling, withdrawing, completing);
  }

  /** When it began, if it has begun to wait and has not ended; else null. */
  synchronized @Nullable Long waitingSince() {
    return dialog.waitingSince();
  }

  @Override
  public String toString() {
    return "LeaseRequest[" + keys().text() + ", " + dialog.acquisition().id() + ']';
  }
}
