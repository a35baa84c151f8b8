package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One thread's wait in the store's queue: the agent of a gate asks the store for the lock, and
 * waits there, on its own thread.
 *
 * <p>A waiting acquisition asks again:
 *
 * <ul>
 *   <li>when a message came,
 *   <li>when the lock's lease ends,
 *   <li>at the latest after the re-check period.
 * </ul>
 *
 * <p>So a lost message, a deleted key or a dead holder costs seconds at most.
 */
final class QueueWait {
  private static final Loss NOT_BEGUN =
      new Loss(LossCause.OWNER_DIED, "the thread that asked for it met an error and left");

  private final Parts parts;
  private final ReadGates readGates;
  private final Store store;

  QueueWait(Parts parts, ReadGates readGates) {
    this.parts = parts;
    this.readGates = readGates;
    store = parts.store();
  }

  /**
   * Runs until the waiter has the lock, gives up, or fails.
   *
   * @param waited whether the waiter has waited already, so that its time may be over
   */
  Step acquire(Gate gate, Waiter waiter, boolean waited) throws InterruptedException {
    Attempt attempt = new Attempt(gate, waiter, waited);
    try {
      return attempt.run();
    } finally {
      attempt.end();
      attempt.waitsNoMore();
    }
  }

  /** A thread leaves the gate in the middle of a step. The next one there asks in its place. */
  void leave(Gate gate, Waiter waiter) {
    new Attempt(gate, waiter, true).end();
  }

  /** Sends the one command of a waiter that does not wait. */
  Pending begin(Gate gate, Waiter waiter, Store.Sender sender) {
    Attempt attempt = new Attempt(gate, waiter, false);
    Acquisition acquisition = gate.acquisitionFor(waiter);
    long sentAt = store.now();
    Supplier<List<Object>> answer = attempt.send(acquisition, sentAt, sender);
    return () ->
        Trampoline.step(() -> {
          try {
            return attempt.once(acquisition, sentAt, answer);
          } finally {
            attempt.end();
          }
        });
  }

  /** One thread's time as the agent of one gate. */
  private final class Attempt {
    private final Gate gate;
    private final Waiter waiter;
    private boolean mayBeOver;

    /** Since when it has not checked whether it gives up, because a command was out. */
    private long busySince;

    private int epoch;

    /** Whether it waits for a recall, if it does not wait otherwise. */
    private boolean recalls;

    private boolean done;

    /** Whether others know that it waits. */
    private boolean waits;

    private final Dialog dialog;

    Attempt(Gate gate, Waiter waiter, boolean waited) {
      this.gate = gate;
      this.waiter = waiter;
      dialog = new Dialog(parts, gate.keys(), waiter.lease(), gate.failingSince());
      mayBeOver = waited;
      busySince = store.now();
    }

    Step run() throws InterruptedException {
      recalls = true;
      while (true) {
        store.checkOpen(gate.keys());
        if (mayBeOver) {
          waiter.checkInterrupt();
          if (waiter.isOver(store.now())) {
            return giveUp();
          }
        }
        Acquisition acquisition = gate.acquisitionFor(waiter);
        long now = store.now();
        Long grantSentAt = acquisition.place().grantSentAt(store.defaultLease(), now);
        if (grantSentAt != null && waiter.lease().equals(store.defaultLease())) {
          dialog.grantedByReply(acquisition);
          gate.heard(null, null);
          Step step = taken(acquisition, grantSentAt, false);
          if (step != Step.WAIT) {
            return step;
          }
        } else if (acquisition.place().isDue(now)) {
          Step step = ask(acquisition);
          if (step != Step.WAIT) {
            return step;
          }
        } else if (!waits) {
          waits(); // it may have slept in there, and missed a wake-up: so it looks again
        } else {
          waiter.park(store.time(), gate, acquisition.place().untilCheck(now));
          busySince = store.now();
        }
        mayBeOver = true;
      }
    }

    /** It is about to sleep, and other threads need not wait for its answer. */
    private void waits() {
      waiter.begins();
      parts.events().attempts().waiting(gate.keys(), waiter);
      if (!waits) {
        waits = true;
        readGates.waits(gate.keys(), waiter);
      }
    }

    void waitsNoMore() {
      if (waits) {
        readGates.waitsNoMore(gate.keys());
      }
    }

    private Step giveUp() {
      RuntimeException failure = dialog.failure();
      if (failure != null) {
        throw failure;
      }
      return Step.REFUSED;
    }

    /**
     * Asks the store and hears its answer, as one step. If the thread is not to wait at the gate,
     * it leaves the gate before the callbacks of the reply run.
     */
    private Step ask(Acquisition acquisition) {
      return Trampoline.step(() -> {
        boolean stays = false;
        try {
          Step step = askNow(acquisition);
          stays = step == Step.WAIT && waiter.waits();
          return step;
        } finally {
          if (!stays) {
            end();
          }
        }
      });
    }

    private Step askNow(Acquisition acquisition) {
      long sentAt = store.now();
      busySince = sentAt;
      sending(acquisition, sentAt);
      return hear(acquisition, sentAt, () -> store.backend().execute(call(acquisition)));
    }

    Supplier<List<Object>> send(Acquisition acquisition, long sentAt, Store.Sender sender) {
      try {
        sending(acquisition, sentAt);
        return sender.send(call(acquisition));
      } catch (Throwable e) {
        end();
        throw e;
      }
    }

    /**
     * Notes the command as sent, and then checks that the service takes work. Closing takes back
     * everything that is noted as sent, so no command is missed.
     */
    private void sending(Acquisition acquisition, long sentAt) {
      epoch = parts.mailbox().epoch();
      dialog.asks(acquisition, waiter.patience(), sentAt);
      if (!store.takesWork()) {
        acquisition.place().failed(Outcome.NOT_EXECUTED, sentAt);
        store.checkOpen(gate.keys());
      }
    }

    /** The whole of an attempt that does not wait. Returns whether it has the lock. */
    boolean once(Acquisition acquisition, long sentAt, Supplier<List<Object>> answer) {
      Step step = hear(acquisition, sentAt, answer);
      if (step == Step.WAIT) {
        store.checkOpen(gate.keys());
        step = giveUp();
      }
      return step == Step.ACQUIRED;
    }

    private ScriptCall call(Acquisition acquisition) {
      ScriptCall call =
          store.scripts().acquire(acquisition, waiter.lease(), waiter.waits(), waiter.beside());
      return waiter.inTime(call, store.now());
    }

    private Step hear(Acquisition asked, long sentAt, Supplier<List<Object>> answer) {
      return switch (hear(asked, answer)) {
        case TAKE -> taken(asked, sentAt, dialog.isAlone());
        case QUEUED -> queued(asked);
        case PAUSE, ASK_AGAIN -> Step.WAIT;
        case AWAIT_OWN -> awaitOwn(asked);
        case REPLACE -> replaces(asked, parts.acquisitions()::forget);
        case RECALLED -> recalls ? recall(asked) : Step.REFUSED;
        case REFUSED, OPEN -> Step.REFUSED;
        case FAILED -> fail();
      };
    }

    private Dialog.Next hear(Acquisition asked, Supplier<List<Object>> answer) {
      Dialog.Next next;
      try {
        next = dialog.hears(asked, answer.get(), waiter.patience(), null);
      } catch (BackendException e) {
        next = dialog.failed(asked, e, waiter.patience());
      }
      gate.heard(dialog.failure(), dialog.unansweredSince());
      return next;
    }

    /** An interrupt ends a wait for an answer in its own way. */
    private Step fail() {
      boolean unanswered = dialog.unansweredSince() != null;
      return unanswered && waiter.isInterrupted() ? Step.WAIT : giveUp();
    }

    /** It is not refused by what its own service gives back: it asks again after the answer. */
    private Step awaitOwn(Acquisition acquisition) {
      long longest = store.options().commandTimeout().toNanos();
      Futures.settle(dialog.leaving(), store.time(), longest);
      return ask(acquisition);
    }

    /**
     * The attempt was not to wait, and the holder may have no thread inside. So it goes on as one
     * that waits, with the same id, for the short time in which the holder gives the lock back.
     */
    private Step recall(Acquisition acquisition) {
      waiter.recalls(store.now() + QueueTimes.RECALL.toNanos());
      acquisition.place().signal();
      return Step.WAIT;
    }

    private Step taken(Acquisition acquisition, long sentAt, boolean alone) {
      parts.keeper().start();
      return switch (gate.granted(waiter, acquisition, sentAt, epoch, alone)) {
        case HELD -> {
          done = true;
          waiter.tookRemotely();
          begins(acquisition);
          yield Step.ACQUIRED;
        }
        case TOO_LATE -> heldTooLate(acquisition);
        case REVOKED ->
            replaces(acquisition, parts.releases()::withdraw); // the store may not remember that
      };
    }

    /** A thread that leaves with an exception does not hold the lock. */
    private void begins(Acquisition held) {
      try {
        parts.took(held);
      } catch (Throwable e) {
        Hold hold = waiter.hold();
        boolean unused = hold != null && hold.end(store.now(), store::send).finish();
        throw e;
      }
    }

    /** Asks with a new id, after a pause, and no longer than after failures. */
    private Step heldTooLate(Acquisition late) {
      parts.releases().withdraw(late);
      store.checkOpen(gate.keys());
      Consumer<LockException> told = why -> LockLog.tooLate(gate.keys(), why);
      if (dialog.heldTooLate(waiter.patience(), told) == Dialog.Next.FAILED) {
        return giveUp();
      }
      waits();
      waiter.park(store.time(), gate, dialog.pause());
      return Step.WAIT;
    }

    /**
     * Asks once more with a new id, also for an attempt that does not wait: the store has not
     * refused it.
     */
    private Step replaces(Acquisition gone, Consumer<Acquisition> ending) {
      gate.replace(waiter, gone);
      ending.accept(gone);
      return waiter.waits() ? Step.WAIT : ask(gate.acquisitionFor(waiter));
    }

    private Step queued(Acquisition acquisition) {
      parts.redissonChannels().waits(acquisition);
      return Step.WAIT;
    }

    /** Leaves the gate to the next waiter, once, if the thread has not got the lock. */
    void end() {
      if (!done) {
        done = true;
        Trampoline.step(this::resign);
      }
    }

    private void resign() {
      Acquisition orphan = gate.resign(waiter);
      if (orphan == null) {
        return;
      }
      if (orphan.lease().isHeld() && orphan.grant() instanceof Share) {
        endShare(orphan);
        return;
      }
      boolean answered = dialog.unansweredSince() == null;
      boolean refused = !waiter.waits() && !orphan.mayArriveLate() && answered;
      if (!orphan.place().mayBeKnown() || refused) {
        parts.acquisitions().forget(orphan);
      } else if (answered) {
        parts.releases().giveUp(orphan, patience());
      } else {
        parts.releases().withdraw(orphan); // the store does not answer now
      }
    }

    /** The thread is inside, and others may be: none of them is when it goes back to the store. */
    private void endShare(Acquisition held) {
      boolean unused = held.lose(NOT_BEGUN);
      Hold own = waiter.hold();
      if (own != null) {
        parts.lostHolds().forget(own); // it is told by what it throws
      }
    }

    /**
     * How long giving up may wait for its reply (ns). Together with a command that was out before,
     * it is at most one command timeout.
     */
    private long patience() {
      return store.options().commandTimeout().toNanos() - (store.now() - busySince);
    }
  }
}
