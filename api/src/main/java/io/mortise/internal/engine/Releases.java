package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.LockServiceClosedException;
import io.mortise.LossCause;
import io.mortise.internal.concurrent.Futures;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How acquisitions end: released, given up, lost, or revoked. Thread-safe. */
public final class Releases {
  private static final Logger log = LoggerFactory.getLogger(Releases.class);

  private static final Loss NOT_FOUND =
      new Loss(LossCause.KEY_GONE, "the store no longer had it when it was unlocked");

  private final Store store;
  private final Acquisitions acquisitions;
  private final Withdrawals withdrawals;
  private final LeaseEvents events;
  private final LostHolds lostHolds;

  Releases(
      Store store,
      Acquisitions acquisitions,
      Withdrawals withdrawals,
      LeaseEvents events,
      LostHolds lostHolds) {
    this.store = store;
    this.acquisitions = acquisitions;
    this.withdrawals = withdrawals;
    this.events = events;
    this.lostHolds = lostHolds;
  }

  /** The place at a gate from which something goes back to the store. */
  interface Source {
    /** The store has answered, or has not: the next one there may ask. */
    void gone();
  }

  // Given up

  /**
   * Takes an acquisition back on the thread that gives it up. After that, the store does not grant
   * it the lock any more. Without a reply in time, it is taken back in the background.
   *
   * @param patience how long the thread waits for the reply at most (ns)
   */
  void giveUp(Acquisition acquisition, long patience) {
    boolean open = store.phase().releasing();
    try {
      if (open && patience > 0) {
        leave(acquisition, Duration.ofNanos(patience));
      } else {
        withdraw(acquisition);
      }
    } finally {
      store.phase().released();
    }
  }

  private void leave(Acquisition acquisition, Duration patience) {
    acquisitions.forget(acquisition);
    store.departures().begins(acquisition, acquisition.keys());
    try {
      List<Object> reply = store.backend().execute(store.scripts().leave(acquisition, patience));
      goOn(acquisition.keys(), reply);
    } catch (RuntimeException e) {
      log.debug("{}: withdrawn in the background", acquisition.keys().text(), e);
      withdrawals.leave(acquisition);
    } catch (Error e) { // nobody else would take it back
      log.error("{}: withdrawn in the background", acquisition.keys().text(), e);
      withdrawals.leave(acquisition);
    } finally {
      store.departures().answered(acquisition, acquisition.keys());
    }
  }

  /** Takes an acquisition back in the background: it leaves the queue, or gives the lock back. */
  void withdraw(Acquisition acquisition) {
    boolean unused = store.phase().releasing();
    acquisitions.forget(acquisition);
    withdrawals.leave(acquisition);
    store.phase().released();
  }

  /**
   * Gives back an ended acquisition that no thread used, in the background.
   *
   * @param answered runs when the store has answered, or has not answered in time
   */
  void giveBack(Acquisition unused, Runnable answered) {
    acquisitions.forget(unused);
    withdrawals.giveBackUnused(unused, answered);
  }

  // From a gate. Callbacks of the reply run after the gate has gone on

  /**
   * As {@link #giveUp}, for an ended acquisition that no thread used. {@link
   * ServicePhase#releasing} was called before it ended.
   */
  void giveUpFrom(Source source, Acquisition unused, long patience) {
    Trampoline.step(() -> {
      try {
        giveUp(unused, patience);
      } finally {
        source.gone();
        store.phase().released();
      }
    });
  }

  /** As {@link #giveBack}. {@link ServicePhase#releasing} was called before it ended. */
  void giveBackFrom(Source source, Acquisition unused, Runnable answered) {
    Runnable then =
        () -> {
          source.gone();
          answered.run();
        };
    try {
      Trampoline.step(() -> giveBack(unused, then));
    } finally {
      store.phase().released();
    }
  }

  // Released

  /**
   * Gives a thread's ended acquisition back to the store. The service knows it until the store has
   * answered, so that a message about it meanwhile is not about an unknown id. Callbacks of the
   * reply run after the source has gone on.
   *
   * @return false if the store no longer had it. True also if the store could not be asked; then it
   *     is asked in the background.
   */
  Pending releaseFrom(Source source, Hold ended, Store.Sender sender) {
    Acquisition held = ended.acquisition();
    boolean open = store.phase().releasing();
    Pending sent;
    try {
      sent = open ? send(held, sender) : () -> refuse(held);
    } catch (Throwable e) { // an Error: the gate must not wait for an answer
      store.phase().released();
      source.gone();
      throw e;
    }
    return () ->
        Trampoline.step(() -> {
          try {
            boolean had = sent.finish();
            if (had) {
              LockLog.released(ended, store.now());
            }
            return had;
          } finally {
            store.phase().released();
            source.gone();
          }
        });
  }

  /** A thread unlocks what its closed service leaves to its lease. */
  private boolean refuse(Acquisition ended) {
    acquisitions.forget(ended);
    abandon(ended);
    throw heldWhenClosed(ended);
  }

  /**
   * Ends a lease that is bound to no thread, and gives it back as {@link #releaseFrom} does.
   *
   * @return false also if it had ended before
   */
  boolean endAndRelease(Acquisition held) {
    boolean unused = store.phase().releasing();
    try {
      return held.lease().end(LeaseState.RELEASED) && send(held, store.asking()).finish();
    } finally {
      store.phase().released();
    }
  }

  private Pending send(Acquisition ended, Store.Sender sender) {
    long sentAt = store.now();
    store.departures().begins(ended, ended.keys());
    Supplier<List<Object>> answer = sender.send(ending(ended));
    return () -> {
      List<Object> reply;
      try {
        reply = answer.get();
      } catch (BackendException e) {
        return releasedLater(ended, e);
      } catch (RuntimeException | Error e) { // nobody else would give it back
        withdrawals.leave(ended);
        throw e;
      } finally {
        acquisitions.forget(ended);
        store.departures().answered(ended, ended.keys());
      }
      boolean had = released(ended, reply);
      grant(ended.keys(), reply, sentAt);
      return had;
    };
  }

  /** As {@link #endAndRelease}; the future completes on the thread that delivers the reply. */
  CompletableFuture<Boolean> endAndReleaseAsync(Acquisition held) {
    boolean unused = store.phase().releasing();
    if (!held.lease().end(LeaseState.RELEASED)) {
      store.phase().released();
      return CompletableFuture.completedFuture(false);
    }
    store.departures().begins(held, held.keys());
    CompletableFuture<Boolean> released = new CompletableFuture<>();
    long sentAt = store.now();
    Futures.whenReplied(
        store.batcher().send(ending(held)),
        (reply, failure) -> {
          acquisitions.forget(held);
          store.departures().answered(held, held.keys());
          try {
            if (reply == null) {
              released.complete(releasedLater(held, Failures.cause(failure)));
            } else {
              released.complete(released(held, reply));
              grant(held.keys(), reply, sentAt);
            }
          } finally {
            store.phase().released();
          }
        });
    return released;
  }

  /** The command that gives it back: at once, or when the time is over for which it is kept. */
  private ScriptCall ending(Acquisition ended) {
    long rest = ended.lease().rest(store.now());
    return rest > 0 ? store.scripts().linger(ended, rest) : store.scripts().release(ended);
  }

  /** A thread unlocks what it shared with others, and its closed service leaves to its lease. */
  LockServiceClosedException leftWhenClosed(Hold left) {
    Acquisition held = left.acquisition();
    events.attempts().endsUnreleased(left, closed(held), store.now());
    return heldWhenClosed(held);
  }

  private LockServiceClosedException heldWhenClosed(Acquisition held) {
    return new LockServiceClosedException(
        "%s was held when its service was closed; %s"
            .formatted(held.keys().text(), leaseEnds(held)));
  }

  /**
   * Reports a hold that the closed service leaves to its lease: the listener will hear no other end
   * of it.
   */
  void abandon(Acquisition held) {
    events.attempts().endsUnreleased(held, closed(held), store.now());
  }

  private Loss closed(Acquisition held) {
    String reason = "its service %s was closed; %s".formatted(store.clientId(), leaseEnds(held));
    return new Loss(LossCause.SERVICE_CLOSED, reason);
  }

  private String leaseEnds(Acquisition held) {
    return "its lease ends within %d ms"
        .formatted(TimeUnit.NANOSECONDS.toMillis(held.lease().remaining(store.now())));
  }

  private boolean released(Acquisition ended, List<Object> reply) {
    store.complainOfMail(AcquireReply.textAt(reply, 1));
    boolean had = AcquireReply.isDone(reply) || "RELEASED".equals(reply.get(0));
    if (!had) {
      ended.lease().wasLost(NOT_FOUND);
      LockLog.lost(ended, NOT_FOUND.reason());
    }
    if (!had && !ended.grant().retains(ended)) {
      events.lost(ended, NOT_FOUND, store.now());
    }
    return had;
  }

  /** If the script stopped before the first live waiter, another one goes on from there. */
  public void goOn(LockKeys keys, List<Object> stopped) {
    if (!AcquireReply.stoppedEarly(stopped)) {
      return;
    }
    boolean unused = store.phase().releasing();
    long sentAt = store.now();
    Futures.whenReplied(
        store.batcher().send(store.scripts().goOn(keys, acquisitions.newStepId(0))),
        (reply, failure) -> {
          try {
            if (reply == null) {
              acquisitions.askAgain(keys);
            } else {
              grant(keys, reply, sentAt);
            }
          } finally {
            store.phase().released();
          }
        });
  }

  /** Notifies the acquisitions that a release grants. A grant to one that is over is given back. */
  void grant(LockKeys keys, List<Object> reply, long sentAt) {
    goOn(keys, reply);
    int ids = reply.size() - (AcquireReply.stoppedEarly(reply) ? 1 : 0);
    for (int i = 2; i < ids; i++) {
      String id = (String) reply.get(i);
      Acquisition granted = acquisitions.find(id);
      if (granted == null) {
        withdrawals.leave(keys, id);
      } else if (!granted.lease().isHeld()) {
        LockLog.granted(granted, "in the reply to a release");
        granted.granted(sentAt);
      }
    }
  }

  private boolean releasedLater(Acquisition ended, BackendException e) {
    log.warn("{}: released in the background: {}", ended.keys().text(), e.getMessage());
    log.debug("the release failed", e);
    if (e.outcome() == Outcome.UNKNOWN && ended.keys().kind().mayBeGrantedInReply()) {
      withdrawals.leaveAgain(ended);
    } else {
      withdrawals.leave(ended);
    }
    return true;
  }

  // Lost

  /**
   * Ends a lease that is bound to no thread as lost. It may be passed on at the same time, so its
   * grant counts after it has ended: an ended lease is not passed on.
   *
   * @return whether it was held until now
   */
  boolean lose(Acquisition held, Loss why) {
    boolean wasHeld = held.lease().lose(why);
    if (wasHeld && held.grant().retains(held)) {
      lostUnused(held, why);
    } else if (wasHeld) {
      lost(held, List.of(), why);
    }
    return wasHeld;
  }

  /**
   * Finishes a lost acquisition, after its grant has dropped it: notifies listeners, and removes it
   * from the store.
   */
  void lost(Acquisition lost, List<Hold> holds, Loss why) {
    lostUnused(lost, why);
    if (store.options().interruptOnLoss()) {
      holds.forEach(lostHolds::interrupt); // first: a listener may run in place
    }
    events.lost(lost, why, store.now());
  }

  /** As {@link #lost}, for a hold that nobody used. So nobody is told. */
  void lostUnused(Acquisition lost, Loss why) {
    acquisitions.forget(lost);
    LockLog.lost(lost, why.reason());
    if (!store.isClosed()) {
      withdrawals.leave(lost);
    }
  }

  /** Ends all holds or leases of the lock; returns whether there were any. */
  public boolean force(LockKeys keys) {
    return force(keys, "");
  }

  /** Ends the hold or lease of one id; returns whether that id held the lock. */
  public boolean force(LockKeys keys, String id) {
    return Trampoline.step(
        () -> forced(keys, store.execute(keys, store.scripts().force(keys, id), forcing(keys))));
  }

  /** As {@link #force}; the future completes on the service's executor. */
  public CompletableFuture<Boolean> forceAsync(LockKeys keys) {
    CompletableFuture<Boolean> forced =
        store
            .executeAsync(keys, store.scripts().force(keys, ""), forcing(keys))
            .thenApply(reply -> forced(keys, reply));
    return Futures.on(events::execute, forced);
  }

  private static String forcing(LockKeys keys) {
    return keys.text() + " was forced open";
  }

  private boolean forced(LockKeys keys, List<Object> reply) {
    Trampoline.step(() -> { // so all are lost before a listener runs in place
      goOn(keys, reply);
      reply.stream().skip(1).forEach(id -> acquisitions.revoked((String) id));
    });
    return switch ((String) reply.get(0)) {
      case "FORCED" -> true;
      case "FREE" -> false;
      default -> throw Failures.foreign(keys, (String) reply.get(1));
    };
  }
}
