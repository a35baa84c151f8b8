package io.mortise.internal.engine;

import io.mortise.LockAttempt.Outcome;
import io.mortise.LockHold;
import io.mortise.LockListener;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.Callbacks;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.told.Listeners;
import io.mortise.internal.told.ToldAttempt;
import io.mortise.internal.told.ToldHold;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.TimeSource;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of attempts and holds, each in its order. A thread's attempt is told on that
 * thread, a lease's on the executor. As long as nobody listens, no object is made. Thread-safe.
 */
public final class AttemptEvents {
  /** A lease request, as listeners are told of it: its attempt, and its events in their order. */
  static final class Request {
    private final ToldAttempt attempt;
    private final HoldEvents events = HoldEvents.begun();

    /** Whether it is noted that it waits. Used under the monitor of its request. */
    private boolean waits;

    private Request(ToldAttempt attempt) {
      this.attempt = attempt;
    }
  }

  private final Listeners listeners;
  private final Callbacks callbacks;

  AttemptEvents(Listeners listeners, Callbacks callbacks) {
    this.listeners = listeners;
    this.callbacks = callbacks;
  }

  // Threads

  /** A thread begins to wait, and its attempt has not told so before. */
  void waiting(LockKeys keys, Waiter waiter) {
    if (listeners.wantHolds() && waiter.told() == null) {
      ToldAttempt attempt = new ToldAttempt(keys, false, waiter.start());
      waiter.setTold(attempt);
      listeners.tell(to -> to.waiting(attempt));
    }
  }

  /** A thread's hold begins. {@link #acquired(Hold)} tells it. Does not block. */
  void begins(Hold hold, Waiter waiter, boolean handedOff) {
    if (listeners.wantHolds()) {
      Acquisition held = hold.acquisition();
      held.lease().setEvents(begin(hold, waiter, handedOff ? LockHold.Via.HANDED : via(held)));
    }
  }

  /** As {@link #begins}, beside the first hold of the acquisition. Its lease is told of by that. */
  void joins(Hold hold, Waiter waiter) {
    if (listeners.wantHolds()) {
      HoldEvents unused = begin(hold, waiter, LockHold.Via.HANDED);
    }
  }

  private static ToldHold told(
      ToldAttempt attempt, Acquisition held, LockHold.Via via, long since) {
    return new ToldHold(attempt, held.id(), via, since, held.place().lastWait());
  }

  private static HoldEvents begin(Hold hold, Waiter waiter, LockHold.Via via) {
    Acquisition held = hold.acquisition();
    HoldEvents events =
        HoldEvents.beginning(told(attempt(held.keys(), waiter), held, via, hold.since()));
    hold.setEvents(events);
    return events;
  }

  private static LockHold.Via via(Acquisition held) {
    return held.ticket().isEmpty() ? LockHold.Via.STORE : LockHold.Via.GRANTED;
  }

  private static ToldAttempt attempt(LockKeys keys, Waiter waiter) {
    ToldAttempt told = waiter.told();
    return told == null ? new ToldAttempt(keys, false, waiter.start()) : told;
  }

  public void acquired(Hold hold) {
    HoldEvents events = hold.events();
    ToldHold told = events == null ? null : events.hold();
    if (events != null && told != null) {
      told.attempt().ends(hold.since());
      events.began(telling(to -> to.acquired(told.attempt(), told)));
    }
  }

  /** A thread's attempt has ended without the lock. */
  public void notAcquired(LockKeys keys, Waiter waiter, @Nullable Throwable failure, long now) {
    if (listeners.wantHolds()) {
      ended(attempt(keys, waiter), waiter.refusal(), failure, now).run();
    }
  }

  private static Outcome outcome(Throwable failure) {
    if (failure instanceof InterruptedException
        || failure.getCause() instanceof InterruptedException) {
      return Outcome.INTERRUPTED;
    }
    return failure instanceof CancellationException ? Outcome.CANCELLED : Outcome.FAILED;
  }

  /**
   * The attempt is over.
   *
   * @param refusal how it ended if there is no exception
   */
  private Runnable ended(
      ToldAttempt attempt, Outcome refusal, @Nullable Throwable failure, long now) {
    attempt.ends(now);
    Outcome outcome = failure == null ? refusal : outcome(failure);
    Throwable why = outcome == Outcome.FAILED ? failure : null;
    return telling(to -> to.notAcquired(attempt, outcome, why));
  }

  /**
   * A thread hands its hold off. From now on a loss of the acquisition is none of this hold, which
   * will be told as released. Does not block.
   */
  void leaves(Hold hold, long now) {
    HoldEvents events = hold.events();
    ToldHold told = events == null ? null : events.hold();
    if (told != null) {
      told.leaves(now);
    }
  }

  /** A thread's hold has ended. Reads the time only if somebody listens. */
  public void released(Hold hold, TimeSource time) {
    HoldEvents events = hold.events();
    ToldHold told = events == null ? null : events.hold();
    if (events != null && told != null && (told.hasLeft() || told.ends(time.nanoTime()))) {
      events.post(telling(to -> to.released(told)));
    }
  }

  // Leases

  /** An attempt of a lease begins; null if nobody listens. */
  @Nullable Request begins(LockKeys keys, long start) {
    return listeners.wantHolds() ? new Request(new ToldAttempt(keys, true, start)) : null;
  }

  /**
   * Notes that the request begins to wait. Does not block.
   *
   * @return tells it, on the executor; to be run outside of every monitor
   */
  Runnable waiting(@Nullable Request told) {
    if (told == null || told.waits) {
      return () -> {};
    }
    told.waits = true;
    return noted(told, telling(to -> to.waiting(told.attempt)));
  }

  /** Notes that the request holds a lease; else as {@link #waiting(Request)}. */
  Runnable acquired(@Nullable Request told, Acquisition held, boolean handedOff, long now) {
    if (told == null) {
      return () -> {};
    }
    LockHold.Via via = handedOff ? LockHold.Via.HANDED : via(held);
    ToldHold hold = told(told.attempt, held, via, now);
    told.attempt.ends(now);
    told.events.holds(hold);
    held.lease().setEvents(told.events);
    return noted(told, telling(to -> to.acquired(told.attempt, hold)));
  }

  /** Notes that the request ended without a lease; else as {@link #waiting(Request)}. */
  Runnable notAcquired(
      @Nullable Request told, Outcome refusal, @Nullable Throwable failure, long now) {
    return told == null ? () -> {} : noted(told, ended(told.attempt, refusal, failure, now));
  }

  private Runnable noted(Request told, Runnable event) {
    return told.events.add(event) ? () -> callbacks.execute(told.events::deliverAll) : () -> {};
  }

  /** The lease of a request was released, or what it held was passed on. */
  void released(@Nullable Request request, long now) {
    ToldHold told = request == null ? null : request.events.hold();
    if (request != null && told != null && told.ends(now)) {
      request.events.post(telling(to -> to.released(told)));
    }
  }

  // Both

  /** Tells that holds are over without a release, unless an end was told before. */
  void endsUnreleased(Acquisition acquisition, Loss loss, long now) {
    endsUnreleased(acquisition.lease().knownEvents(), loss, now);
    acquisition.grant().sharedEvents().forEach(each -> endsUnreleased(each, loss, now));
  }

  /** As {@link #endsUnreleased(Acquisition, Loss, long)}, for one hold of several that share. */
  void endsUnreleased(Hold hold, Loss loss, long now) {
    endsUnreleased(hold.events(), loss, now);
  }

  private void endsUnreleased(@Nullable HoldEvents events, Loss loss, long now) {
    ToldHold told = events == null ? null : events.hold();
    if (events != null && told != null && told.ends(now)) {
      events.post(callbacks::execute, telling(to -> to.lost(told, loss.cause(), loss.reason())));
    }
  }

  private Runnable telling(Consumer<LockListener> event) {
    return () -> listeners.tell(event);
  }
}
