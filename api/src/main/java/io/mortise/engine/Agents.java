package io.mortise.engine;

import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.engine.Gate.Step;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a gate's agent does: asks the store for the lock, and waits for it there. All of it runs on
 * the agent's own thread.
 *
 * <p>A waiting acquisition is asked for again when a message came, when the lock's lease ends, and
 * at the latest after the re-check period; so a lost message, a deleted key or a dead holder costs
 * seconds.
 */
final class Agents {
  private final Engine engine;

  Agents(Engine engine) {
    this.engine = engine;
  }

  /**
   * Runs until the waiter has the lock, gives up, or fails.
   *
   * @param waited whether the waiter has waited already, so that its time may be over
   */
  Step acquire(Gate gate, Waiter waiter, boolean waited) throws InterruptedException {
    Turn turn = new Turn(gate, waiter, waited);
    try {
      return turn.run();
    } finally {
      turn.end();
    }
  }

  /** Sends the one command of a waiter that does not wait. */
  Trial begin(Gate gate, Waiter waiter) {
    Turn turn = new Turn(gate, waiter, false);
    Acquisition acquisition = gate.acquisitionFor(waiter);
    long sentAt = engine.now();
    CompletableFuture<List<Object>> reply = turn.send(acquisition, sentAt);
    return () ->
        Trampoline.step(() -> {
          try {
            return turn.once(acquisition, sentAt, () -> Futures.join(reply, engine.time()));
          } finally {
            turn.end();
          }
        });
  }

  /** One thread's time as the agent of one gate. */
  private final class Turn {
    private final Gate gate;
    private final Waiter waiter;
    private boolean mayBeOver;

    /** Since when it has not looked whether it gives up: a command was out. */
    private long busySince;

    private int epoch;
    private boolean done;
    private @Nullable LockException failure;
    private final Pause pause = new Pause();

    Turn(Gate gate, Waiter waiter, boolean waited) {
      this.gate = gate;
      this.waiter = waiter;
      mayBeOver = waited;
      busySince = engine.now();
    }

    Step run() throws InterruptedException {
      while (true) {
        engine.checkOpen(gate.keys());
        if (mayBeOver) {
          waiter.checkInterrupt();
          if (waiter.isOver(engine.now())) {
            return giveUp();
          }
        }
        Acquisition acquisition = gate.acquisitionFor(waiter);
        long now = engine.now();
        Long letInAt = acquisition.letInAt(engine.defaultLease(), now);
        if (letInAt != null && waiter.lease().equals(engine.defaultLease())) {
          answered(acquisition);
          Step step = taken(acquisition, letInAt);
          if (step != Step.WAIT) {
            return step;
          }
        } else if (acquisition.isDue(now)) {
          Step step = ask(acquisition);
          if (step != Step.WAIT) {
            return step;
          }
        } else {
          waiter.park(engine.time(), gate, acquisition.untilCheck(now));
          busySince = engine.now();
        }
        mayBeOver = true;
      }
    }

    private Step giveUp() {
      if (failure != null) {
        throw failure;
      }
      return Step.REFUSED;
    }

    /** What hangs on the reply finds this thread out of the gate, if it is not to wait in it. */
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
      epoch = engine.mailbox().epoch();
      long sentAt = engine.now();
      busySince = sentAt;
      sending(acquisition, sentAt);
      return hear(acquisition, sentAt, () -> engine.backend().execute(call(acquisition)));
    }

    /** What the backend throws is heard as an answer, or the gate would have an agent for ever. */
    CompletableFuture<List<Object>> send(Acquisition acquisition, long sentAt) {
      try {
        sending(acquisition, sentAt);
      } catch (LockServiceClosedException e) {
        end();
        throw e;
      }
      try {
        return engine.backend().executeAsync(call(acquisition));
      } catch (RuntimeException | Error e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    /**
     * Closing takes back what is noted as sent before it looks, and the agent sees afterwards that
     * nothing may be sent any more.
     */
    private void sending(Acquisition acquisition, long sentAt) {
      acquisition.sending(sentAt);
      if (!engine.takesWork()) {
        acquisition.failed(BackendException.Outcome.NOT_EXECUTED, sentAt);
        engine.checkOpen(gate.keys());
      }
    }

    /** All there is to an attempt without waiting. */
    boolean once(Acquisition acquisition, long sentAt, Supplier<List<Object>> answer) {
      Step step = hear(acquisition, sentAt, answer);
      if (step == Step.WAIT) {
        engine.checkOpen(gate.keys());
        step = giveUp();
      }
      return step == Step.CLAIMED;
    }

    ScriptCall call(Acquisition acquisition) {
      return engine.scripts().acquire(acquisition, waiter.lease(), waiter.waits(), waiter.beside());
    }

    Step hear(Acquisition acquisition, long sentAt, Supplier<List<Object>> answer) {
      Reply reply;
      try {
        reply = Reply.ofAcquire(answer.get());
      } catch (BackendException e) {
        failed(acquisition, e);
        return Step.WAIT;
      }
      answered(acquisition);
      if (reply instanceof Reply.Waiting waiting) {
        return queued(acquisition, waiting, sentAt);
      }
      if (reply instanceof Reply.Foreign foreign) {
        throw Failures.foreign(gate.keys(), foreign.found());
      }
      if (reply instanceof Reply.TooLate) {
        return replaced(acquisition);
      }
      if (reply instanceof Reply.Held held) {
        acquisition.setToken(held.token());
        return taken(acquisition, sentAt);
      }
      return Step.REFUSED;
    }

    private void answered(Acquisition acquisition) {
      acquisition.answered();
      gate.answered();
      failure = null;
    }

    private Step taken(Acquisition acquisition, long sentAt) {
      return switch (gate.granted(waiter, acquisition, sentAt)) {
        case HELD -> {
          done = true;
          waiter.tookRemotely();
          engine.took(acquisition);
          yield Step.CLAIMED;
        }
        case TOO_LATE -> {
          engine.withdraw(acquisition);
          failure = Failures.tooSlow(gate.keys(), waiter.lease(), engine.endpoint());
          pauseAfterFailure();
          yield Step.WAIT;
        }
        case THROWN_OUT -> thrownOut(acquisition);
      };
    }

    /** An attempt that does not wait has not been refused yet, so it asks once more. */
    private Step thrownOut(Acquisition acquisition) {
      gate.replace(waiter, acquisition);
      engine.withdraw(acquisition); // should the store not remember that it was forced out
      return waiter.waits() ? Step.WAIT : ask(gate.acquisitionFor(waiter));
    }

    private Step queued(Acquisition acquisition, Reply.Waiting waiting, long sentAt) {
      engine.mailbox().complain(waiting.complaint());
      if (acquisition.ticket().isEmpty()) {
        Story.queued(acquisition, waiting.left());
      }
      if (engine.settings().startOnGrant() && gate.keys().kind() != LockKeys.Kind.FENCED) {
        acquisition.sampled(new ClockSample(sentAt, waiting.serverTime(), epoch));
      }
      acquisition.queued(waiting, engine.now(), engine.settings().times());
      engine.waits(acquisition);
      pause.reset();
      return Step.WAIT;
    }

    /** As {@link #thrownOut}; the store remembers it. */
    private Step replaced(Acquisition acquisition) {
      gate.replace(waiter, acquisition);
      engine.forget(acquisition);
      return waiter.waits() ? Step.WAIT : ask(gate.acquisitionFor(waiter));
    }

    /**
     * Whether to try again is the waiter's patience: an attempt that certainly did nothing ends
     * {@code lock()} at once; a timed wait goes on until its end; whoever may be in the queue rides
     * out one lease time.
     */
    private void failed(Acquisition acquisition, BackendException e) {
      long now = engine.now();
      acquisition.failed(e.outcome(), now + pause.next());
      LockException seen = Failures.of(e, acquisition, engine.endpoint());
      failure = seen;
      long since = gate.failing(seen, now);
      boolean ridesOut =
          acquisition.mayBeKnown() && now - since < engine.settings().leaseTime().toNanos();
      if (!waiter.waits() || !(waiter.isTimed() || ridesOut)) {
        throw seen;
      }
    }

    /** Keeps an acquisition whose answers come too late from being asked for without end. */
    private void pauseAfterFailure() {
      waiter.park(engine.time(), gate, pause.next());
    }

    /** Who leaves without the lock leaves the gate to the next, once. */
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
      if (!orphan.mayBeKnown() || refused) {
        engine.forget(orphan);
      } else if (failure == null) {
        engine.giveUp(orphan, patience());
      } else {
        engine.withdraw(orphan); // the store does not answer now
      }
    }

    /** Giving up takes no longer than one command, with the one that was out meanwhile. */
    private long patience() {
      return engine.settings().commandTimeout().toNanos() - (engine.now() - busySince);
    }
  }
}
