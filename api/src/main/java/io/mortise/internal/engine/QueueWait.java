package io.mortise.internal.engine;

import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
  private final Parts parts;
  private final Store store;

  QueueWait(Parts parts) {
    this.parts = parts;
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

  /** Sends the one command of a waiter that does not wait. */
  PendingTry begin(Gate gate, Waiter waiter) {
    Attempt attempt = new Attempt(gate, waiter, false);
    Acquisition acquisition = gate.acquisitionFor(waiter);
    long sentAt = store.now();
    CompletableFuture<List<Object>> reply = attempt.send(acquisition, sentAt);
    return () ->
        Trampoline.step(() -> {
          try {
            return attempt.once(acquisition, sentAt, () -> Futures.join(reply, store.time()));
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

    private @Nullable LockException failure;

    /** Since when no reply came within the lease; null if the last one did. */
    private @Nullable Long tooLateSince;

    private final Backoff pause = store.backoff();

    Attempt(Gate gate, Waiter waiter, boolean waited) {
      this.gate = gate;
      this.waiter = waiter;
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
          answered(acquisition);
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
        parts.readGates().waits(gate.keys(), waiter);
      }
    }

    void waitsNoMore() {
      if (waits) {
        parts.readGates().waitsNoMore(gate.keys());
      }
    }

    private Step giveUp() {
      if (failure != null) {
        throw failure;
      }
      return Step.REFUSED;
    }

    private Step ask(Acquisition acquisition) {
      return step(() -> askNow(acquisition));
    }

    /**
     * Hears the store's answer, as one step. If the thread is not to wait at the gate, it leaves
     * the gate before the callbacks of the reply run.
     */
    private Step step(Supplier<Step> hearing) {
      return Trampoline.step(() -> {
        boolean stays = false;
        try {
          Step step = hearing.get();
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

    /**
     * What the backend throws counts as a reply; otherwise the gate would keep its agent for ever.
     */
    CompletableFuture<List<Object>> send(Acquisition acquisition, long sentAt) {
      try {
        sending(acquisition, sentAt);
      } catch (LockServiceClosedException e) {
        end();
        throw e;
      }
      try {
        return store.backend().executeAsync(call(acquisition));
      } catch (RuntimeException | Error e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    /**
     * Notes the command as sent, and then checks that the service takes work. Closing takes back
     * everything that is noted as sent, so no command is missed.
     */
    private void sending(Acquisition acquisition, long sentAt) {
      epoch = parts.mailbox().epoch();
      if (!waiter.waits()) {
        acquisition.place().asksWhile(store.departures().of(gate.keys()));
      }
      acquisition.place().sending(sentAt);
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

    ScriptCall call(Acquisition acquisition) {
      ScriptCall call =
          store.scripts().acquire(acquisition, waiter.lease(), waiter.waits(), waiter.beside());
      return waiter.inTime(call, store.now());
    }

    Step hear(Acquisition acquisition, long sentAt, Supplier<List<Object>> answer) {
      AcquireReply reply;
      try {
        reply = AcquireReply.ofAcquire(answer.get(), store.options().replicaAcks());
      } catch (BackendException e) {
        failed(acquisition, e.outcome(), () -> Failures.of(e, acquisition, store.endpoint()));
        return Step.WAIT;
      }
      if (reply instanceof AcquireReply.NotReplicated few) {
        failed(
            acquisition,
            Outcome.UNKNOWN,
            () -> Failures.notReplicated(few, acquisition, store.endpoint()));
        return Step.WAIT;
      }
      answered(acquisition);
      boolean inTime = !(reply instanceof AcquireReply.Held) && store.lasts(waiter.lease(), sentAt);
      tooLateSince = inTime ? null : tooLateSince;
      if (reply instanceof AcquireReply.Waiting waiting) {
        return queued(acquisition, waiting);
      }
      if (reply instanceof AcquireReply.Foreign foreign) {
        throw Failures.foreign(gate.keys(), foreign.found());
      }
      if (reply instanceof AcquireReply.TooLate) {
        return replaced(acquisition);
      }
      if (reply instanceof AcquireReply.Held held) {
        acquisition.lease().setToken(held.token());
        store.complainOfEpoch(held.complaint());
        return taken(acquisition, sentAt, held.alone());
      }
      return reply instanceof AcquireReply.Busy busy ? busy(acquisition, busy) : Step.REFUSED;
    }

    /** It is not refused by what its own service gives back: it asks again after the answer. */
    private Step busy(Acquisition acquisition, AcquireReply.Busy reply) {
      long longest = store.options().commandTimeout().toNanos();
      CompletableFuture<Void> leaving = acquisition.place().refused(store.now() + longest);
      if (leaving != null) {
        Futures.settle(leaving, store.time(), longest);
        return ask(acquisition);
      }
      return recalls && reply.recalled() ? recall(acquisition) : Step.REFUSED;
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

    private void answered(Acquisition acquisition) {
      acquisition.place().answered();
      gate.answered();
      failure = null;
    }

    private Step taken(Acquisition acquisition, long sentAt, boolean alone) {
      return switch (gate.granted(waiter, acquisition, sentAt, epoch, alone)) {
        case HELD -> {
          done = true;
          waiter.tookRemotely();
          parts.took(acquisition);
          yield Step.ACQUIRED;
        }
        case TOO_LATE -> heldTooLate(acquisition);
        case REVOKED -> revoked(acquisition);
      };
    }

    /** Asks with a new id, after a pause, and no longer than after failures. */
    private Step heldTooLate(Acquisition late) {
      parts.releases().withdraw(late);
      store.checkOpen(gate.keys());
      LockException seen = Failures.tooSlow(gate.keys(), waiter.lease(), store.endpoint());
      failure = seen;
      Long first = tooLateSince;
      long now = store.now();
      if (!asksAgain(true, first == null ? 0 : now - first)) {
        throw seen;
      }
      if (first == null) {
        tooLateSince = now;
        LockLog.tooLate(gate.keys(), seen);
      }
      waits();
      waiter.park(store.time(), gate, pause.next());
      return Step.WAIT;
    }

    /**
     * Asks once more with a new id, also for an attempt that does not wait: the store has not
     * refused it.
     */
    private Step revoked(Acquisition acquisition) {
      gate.replace(waiter, acquisition);
      parts
          .releases()
          .withdraw(acquisition); // in case the store does not remember the force unlock
      return waiter.waits() ? Step.WAIT : ask(gate.acquisitionFor(waiter));
    }

    private Step queued(Acquisition acquisition, AcquireReply.Waiting waiting) {
      parts.mailbox().complain(waiting.complaint());
      if (acquisition.ticket().isEmpty()) {
        LockLog.queued(acquisition, waiting.left());
      }
      acquisition.place().queued(waiting, store.now(), store.options().times());
      parts.redissonChannels().waits(acquisition);
      pause.reset();
      return Step.WAIT;
    }

    /** As {@link #revoked}, for an id that was withdrawn; the store remembers that. */
    private Step replaced(Acquisition acquisition) {
      gate.replace(waiter, acquisition);
      parts.acquisitions().forget(acquisition);
      return waiter.waits() ? Step.WAIT : ask(gate.acquisitionFor(waiter));
    }

    private void failed(Acquisition acquisition, Outcome outcome, Supplier<LockException> why) {
      long now = store.now();
      acquisition.place().failed(outcome, now + pause.next());
      LockException seen = why.get();
      failure = seen;
      long since = gate.failing(seen, now);
      boolean again = asksAgain(acquisition.place().mayBeKnown(), now - since);
      if (!again && !waiter.isInterrupted()) { // an interrupt ends the wait in its own way
        throw seen;
      }
    }

    private boolean asksAgain(boolean mayBeKnown, long failingFor) {
      return RetryRule.asksAgain(
          waiter.waits(),
          waiter.isTimed(),
          mayBeKnown,
          failingFor,
          store.options().leaseTime().toNanos());
    }

    /** Leaves the gate to the next waiter, once, if the thread has not got the lock. */
    void end() {
      if (!done) {
        done = true;
        Trampoline.step(this::resign);
      }
    }

    private void resign() {
      Acquisition orphan = gate.resign();
      if (orphan == null) {
        return;
      }
      boolean refused = !waiter.waits() && !orphan.mayArriveLate() && failure == null;
      if (!orphan.place().mayBeKnown() || refused) {
        parts.acquisitions().forget(orphan);
      } else if (failure == null) {
        parts.releases().giveUp(orphan, patience());
      } else {
        parts.releases().withdraw(orphan); // the store does not answer now
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
