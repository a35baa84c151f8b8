package io.mortise.internal.engine;

import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.LockAttempt;
import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.told.ToldRequest;
import io.mortise.internal.wire.AcquireReply;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.QueueTimes;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.BackendException;
import io.mortise.spi.BackendException.Outcome;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lease, from before its first command until its lease is over. It waits in the
 * store's queue by itself. If a thread waits for its result, that thread sends the first command,
 * and looks at the {@link LeaseGate} when it wakes. Thread-safe.
 */
final class LeaseRequest implements Acquisition.Owner, LeaseHandle.Origin, LeaseGate.Request {
  /* Overview
   *
   *   NEW       not begun: it can be found by its id, and asks for nothing yet
   *   LINE      waits for a lease of this service, and has not asked the store (see LeaseGate)
   *   WAITING   waits until it asks: now, when a message comes, or when its next check is due. The
   *             reply to another command may grant it the lock meanwhile
   *   ASKING    a command is out
   *   HELD      the lease was given out; from here on the acquisition's own state counts
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
  interface Pending {
    /**
     * Called before the request can end.
     *
     * @param result which the request completes when it ends, so that it is its own
     */
    void add(LeaseRequest request, CompletableFuture<LeaseOutcome> result);

    /**
     * Whether a gate of the service gives that lock back now, which it retained. If so, runs the
     * task when the store has answered, or has not. Does not block.
     */
    boolean makesRoom(LockKeys lock, Runnable then);

    void remove(CompletableFuture<LeaseOutcome> result);

    /** A request begins. The gate at which the service passes its lease on; null if it does not. */
    @Nullable LeaseGate gate(Wanted wanted);

    /** The gate at which a lease may be passed on now; null if there is none. */
    @Nullable LeaseGate gate(LockKeys lock);

    /** Whether a thread that parks on this object waits for a lease of that lock. */
    boolean isWaitFor(Object blocker, LockKeys lock);
  }

  private final Parts parts;
  private final Store store;
  private final Pending pending;
  private final LockKeys keys;
  private final LeaseTerms policy;
  private final @Nullable VotingSet voters;
  private final Asker asker = Asker.here();

  /** Whether that thread waits for the result. */
  private final boolean here;

  private final long wait;

  /** Whether it waits for a recall, if it does not wait otherwise. */
  private final boolean recalls;

  private final long start;
  private final @Nullable ToldRequest told;
  private final List<Consumer<? super LeaseChange>> listeners = new CopyOnWriteArrayList<>();

  private Phase phase = Phase.NEW;
  private Acquisition acquisition;
  private long askedAt;
  private @Nullable Long firstAskedAt;
  private boolean timeIsOver;
  private boolean shown;

  /** The holder that was asked for what nobody uses, and for which it waits. */
  private @Nullable String recalledFrom;

  private @Nullable Timer timer;
  private @Nullable LockException failure;
  private final Backoff pause;

  /** Since when no reply came, or none within the lease; null if the last one did. */
  private @Nullable Long failingSince;

  /** Cleared when complete: it refers to the lease, and a dropped lease must be noticed. */
  private @Nullable CompletableFuture<LeaseOutcome> result;

  private volatile @Nullable WeakReference<LeaseHandle> handle;
  private volatile @Nullable Thread holder;
  private volatile long since;

  /** Whether its lease may ever be passed on. */
  private final boolean passable;

  /** Where it waits, if its lease may be passed on; null when it has its lease or has ended. */
  private volatile @Nullable LeaseGate gate;

  /** Until when, and how often so far, its lease may be passed on, and was. */
  private volatile long passableUntil;

  private volatile int passed;
  private volatile @Nullable LeaseChange loss;

  private LeaseRequest(
      Parts parts,
      Pending pending,
      Wanted wanted,
      long wait,
      boolean here,
      CompletableFuture<LeaseOutcome> result) {
    this.here = here;
    this.parts = parts;
    this.pending = pending;
    store = parts.store();
    pause = store.backoff();
    this.result = result;
    keys = wanted.keys();
    policy = wanted.terms();
    voters = wanted.voters();
    this.wait = Math.max(LeaseSource.NOT, wait);
    recalls = wait == LeaseSource.NOT;
    start = store.now();
    told = parts.events().attempts().begins(keys, start);
    acquisition = newAcquisition();
    gate = pending.gate(wanted); // last: from here on it ends in any case
    passable = gate != null;
  }

  /**
   * Starts a request: asks for the first time.
   *
   * @param here whether the calling thread waits for the result. Then it sends the first command
   * @param result completed on the thread that delivers the reply, so nothing that blocks may
   *     depend on it. If a caller completes it first, the request is withdrawn.
   * @return what the calling thread runs before each sleep, if it waits for the result
   */
  static Runnable start(
      Parts parts,
      Pending pending,
      Wanted wanted,
      long wait,
      boolean here,
      CompletableFuture<LeaseOutcome> result) {
    LeaseRequest request = new LeaseRequest(parts, pending, wanted, wait, here, result);
    pending.add(request, result);
    CompletableFuture<LeaseOutcome> unused =
        result.whenComplete((value, failed) -> request.endUnwanted(failed));
    if (wait > LeaseSource.NOT && wait != LeaseSource.FOREVER) {
      request.limit();
    }
    Runnable joined = request.join();
    if (joined != null) {
      joined.run();
    } else {
      request.begin();
      request.askFirst();
    }
    return request::look;
  }

  private void askFirst() {
    if (store.retain() > 0 && pending.makesRoom(keys, this::wake)) {
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
    return own == null || wait == LeaseSource.NOT ? null : own.join(this);
  }

  /** It takes what another request has left, if its thread was woken for that. */
  private void look() {
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
    return parts.acquisitions().create(this, asker.thread().getId(), policy, voters == null);
  }

  @Override
  public LockKeys keys() {
    return keys;
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
    askedAt = store.now();
    firstAskedAt = firstAskedAt == null ? Long.valueOf(askedAt) : firstAskedAt;
    if (!waits()) {
      acquisition.place().asksWhile(store.departures().of(keys));
    }
    acquisition.place().sending(askedAt);
    return voters == null
        ? store.scripts().acquire(acquisition, policy, waits(), "")
        : store.scripts().vote(acquisition, policy, waits(), voters, parts.voter().expected());
  }

  private boolean waits() {
    return wait != LeaseSource.NOT || recalledFrom != null;
  }

  @Override
  public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
    if (reply == null) {
      failed(Failures.cause(failure));
      return;
    }
    AcquireReply understood;
    try {
      understood = AcquireReply.ofAcquire(reply, store.options().replicaAcks());
    } catch (RuntimeException e) {
      failed(Failures.cause(e));
      return;
    }
    if (understood instanceof AcquireReply.NotReplicated few) {
      failed(Outcome.UNKNOWN, asked -> Failures.notReplicated(few, asked, store.endpoint()));
    } else {
      answered(understood);
    }
  }

  private void answered(AcquireReply reply) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return; // given up, and withdrawn
      }
      acquisition.place().answered();
      failure = null;
      pause.reset();
      boolean inTime = !(reply instanceof AcquireReply.Held) && store.lasts(policy, askedAt);
      failingSince = inTime ? null : failingSince;
      next = next(reply);
    }
    next.run();
  }

  private Runnable next(AcquireReply reply) {
    if (reply instanceof AcquireReply.Held held) {
      acquisition.lease().setToken(held.token());
      store.complainOfEpoch(held.complaint());
      return switch (acquisition.take(policy, askedAt, store.now(), store.longestHold())) {
        case HELD -> held();
        case TOO_LATE -> heldTooLate();
        case REVOKED -> revoked();
      };
    }
    if (reply instanceof AcquireReply.Busy busy) {
      return refused(busy);
    }
    if (reply instanceof AcquireReply.Open) {
      return done(new LeaseOutcome(null, null, true), null);
    }
    if (voters != null && reply instanceof AcquireReply.Refused refused) {
      return noVote(refused, voters);
    }
    RuntimeException wrong = Failures.of(reply, keys);
    if (wrong != null) {
      return done(null, wrong);
    }
    Acquisition asked = acquisition;
    if (reply instanceof AcquireReply.Waiting waiting) {
      parts.mailbox().complain(waiting.complaint());
      if (acquisition.ticket().isEmpty()) {
        LockLog.queued(acquisition, waiting.left());
      }
      acquisition.place().queued(waiting, store.now(), store.options().times());
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
    acquisition = successor();
    return waits(() -> parts.acquisitions().forget(asked));
  }

  /** Nothing was done. A server that is met for the first time is asked again at once. */
  private Runnable noVote(AcquireReply.Refused reply, VotingSet set) {
    acquisition.place().failed(Outcome.NOT_EXECUTED, store.now());
    NoVoteException why = parts.voter().refusal(reply, set);
    return why == null ? waits(() -> {}) : done(null, why);
  }

  private Runnable revoked() {
    Acquisition gone = acquisition;
    acquisition = successor();
    return waits(() ->
        parts.releases().withdraw(gone)); // in case the store does not remember the force unlock
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
   * Returns a new acquisition, for one that can no longer get the lock. It takes that one's place
   * in the queue.
   */
  private Acquisition successor() {
    Acquisition next = newAcquisition();
    next.place().succeeds(acquisition.place());
    return next;
  }

  /**
   * Begins the hold, as a reply to its own command would. If it sent a later command, that one
   * decides.
   */
  @Override
  public void granted(Acquisition granted, long sentAt) {
    Runnable next;
    synchronized (this) {
      boolean begins =
          phase == Phase.WAITING
              && granted == acquisition
              && granted.place().mayBeGranted(sentAt)
              && store.takesWork()
              && granted.take(policy, sentAt, store.now(), store.longestHold()) == Taking.HELD;
      next = begins ? held() : granted::signal;
    }
    next.run();
  }

  private Runnable refused(AcquireReply.Busy busy) {
    long latest = store.now() + store.options().commandTimeout().toNanos();
    CompletableFuture<Void> leaving = acquisition.place().refused(latest);
    if (leaving != null) {
      phase = Phase.WAITING;
      Acquisition asked = acquisition;
      return () -> {
        CompletableFuture<Void> unused = leaving.thenRun(asked::signal);
      };
    }
    String who = busy.holder() == null ? "somebody" : busy.holder();
    if (!recalls || !busy.recalled()) {
      return done(new LeaseOutcome(null, who), null);
    }
    recalledFrom = who;
    timer = store.time().schedule(this::timeIsOver, QueueTimes.RECALL);
    acquisition.place().signal();
    return waits(() -> {});
  }

  private Runnable held() {
    Acquisition taken = acquisition;
    boolean atOnce = taken.ticket().isEmpty() && !taken.mayArriveLate();
    long placedAt = firstAskedAt == null ? start : firstAskedAt;
    Runnable telling = parts.events().attempts().acquired(told, taken, store.now());
    return begins(
        () -> {
          LeaseGate own = gate;
          if (own != null) {
            passableUntil = own.opened(taken, atOnce, placedAt);
          }
          parts.took(taken);
        },
        telling);
  }

  /**
   * The hold begins.
   *
   * @param first runs before anybody has the lease
   * @param telling tells listeners of it
   */
  private Runnable begins(Runnable first, Runnable telling) {
    phase = Phase.HELD;
    long now = store.now();
    since = now;
    LeaseHandle lease = new LeaseHandle(parts, this, acquisition, now);
    handle = new WeakReference<>(lease);
    CompletableFuture<LeaseOutcome> waiting = forgetResult();
    return () -> {
      pending.remove(waiting);
      first.run();
      leaveGate();
      LockLog.acquired(lease.acquisition(), now - start);
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
  public synchronized @Nullable Runnable takeOver(
      LeaseGate.Request from, Acquisition held, long now) {
    if (phase != Phase.LINE && phase != Phase.NEW) {
      return null;
    }
    Runnable[] telling = new Runnable[1];
    boolean taken =
        held.passTo(this, () -> telling[0] = parts.events().attempts().takenOver(told, held, now));
    if (!taken) {
      return null;
    }
    Acquisition unused = acquisition;
    acquisition = held;
    passableUntil = from.passableUntil();
    passed = from.passed() + 1;
    return begins(() -> parts.acquisitions().forget(unused), telling[0]);
  }

  @Override
  public boolean looks() {
    return here;
  }

  @Override
  public void wakeToLook() {
    store.time().unpark(asker.thread());
  }

  @Override
  public long passableUntil() {
    return passableUntil;
  }

  @Override
  public int passed() {
    return passed;
  }

  @Override
  public boolean passesOn(Acquisition held) {
    LeaseGate own = passable ? pending.gate(keys) : null;
    Runnable next = own == null ? null : own.passOn(this, held);
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  @Override
  public void released(long now) {
    parts.events().attempts().released(told, now);
  }

  /**
   * Asks with a new id, but only at the next run of the timer, and no longer than after failures.
   */
  private Runnable heldTooLate() {
    Acquisition late = acquisition;
    acquisition = newAcquisition();
    phase = Phase.WAITING;
    LockException seen = Failures.tooSlow(keys, policy, store.endpoint());
    failure = seen;
    boolean first = failingSince == null;
    boolean again = asksAgain(true, store.now());
    Runnable next = again ? waiting() : giveUp();
    return () -> {
      if (first && again) {
        LockLog.tooLate(keys, seen);
      }
      parts.releases().withdraw(late);
      next.run();
    };
  }

  /** Whether it goes on after a failure, or after an answer that came too late. */
  private boolean asksAgain(boolean mayBeKnown, long now) {
    failingSince = failingSince == null ? Long.valueOf(now) : failingSince;
    return !timeIsOver
        && RetryRule.asksAgain(
            waits(),
            wait != LeaseSource.FOREVER,
            mayBeKnown,
            now - failingSince,
            store.options().leaseTime().toNanos());
  }

  private void failed(BackendException e) {
    failed(e.outcome(), asked -> Failures.of(e, asked, store.endpoint()));
  }

  private void failed(Outcome outcome, Function<Acquisition, LockException> why) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return;
      }
      phase = Phase.WAITING;
      long now = store.now();
      acquisition.place().failed(outcome, now + pause.next());
      failure = why.apply(acquisition);
      boolean again = asksAgain(acquisition.place().mayBeKnown(), now);
      next = again ? waiting() : giveUp();
    }
    next.run();
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
  private void endUnwanted(@Nullable Throwable why) {
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
                .formatted(keys.text(), store.clientId())));
  }

  private Runnable giveUp() {
    return done(new LeaseOutcome(null, recalledFrom), failure);
  }

  private Runnable done(@Nullable LeaseOutcome value, @Nullable Throwable why) {
    phase = Phase.DONE;
    Runnable telling =
        parts.events().attempts().notAcquired(told, refusal(value), why, store.now());
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
    return wait == LeaseSource.NOT ? LockAttempt.Outcome.BUSY : LockAttempt.Outcome.TIMED_OUT;
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
    return parts.events().attempts().waiting(told);
  }

  /** When it began, if it has begun to wait and has not ended; else null. */
  synchronized @Nullable Long waitingSince() {
    return shown && phase != Phase.HELD && phase != Phase.DONE ? start : null;
  }

  // The lease

  @Override
  public void belongsTo(@Nullable Thread thread) {
    holder = thread;
  }

  @Override
  public @Nullable Holder holder(Acquisition held) {
    WeakReference<LeaseHandle> known = handle;
    if (known == null) {
      return null;
    }
    Thread thread = holder;
    if (thread != null && !thread.isAlive()) {
      return new Holder("thread " + thread.getName(), since, "ended without unlocking", thread, 1);
    }
    String gone =
        known.get() == null
            ? "is referred to by nobody and was never released (" + asker + " asked for it)"
            : null;
    return new Holder("lease " + held.id(), since, gone, thread, 1);
  }

  /**
   * {@inheritDoc} Null for a semaphore: a thread that takes permits one by one may wait for permits
   * that it gave to others, so a warning would be wrong.
   */
  @Override
  public @Nullable Thread waitingForItself() {
    Object blocker = LockSupport.getBlocker(asker.thread());
    if (blocker == null || keys.kind() == LockKind.SEMAPHORE) {
      return null;
    }
    boolean waits =
        blocker instanceof Gate gate ? gate.isOf(store, keys) : pending.isWaitFor(blocker, keys);
    return waits ? asker.thread() : null;
  }

  @Override
  public boolean lose(Acquisition held, Loss why) {
    synchronized (this) { // not between the take and the note that the hold begins
      if (!held.lease().isHeld()) {
        return false;
      }
    }
    return parts.releases().lose(held, why);
  }

  @Override
  public boolean endsAtClose() {
    return true;
  }

  @Override
  public void onLeaseChange(LeaseChange event) {
    if (event.state() == LeaseState.LOST) {
      loss = event;
      listeners.forEach(listener -> tell(listener, event));
    }
  }

  @Override
  public void onLost(Consumer<? super LeaseChange> listener) {
    Consumer<LeaseChange> once = listener::accept; // a new object, so that it identifies this call
    listeners.add(once);
    LeaseChange known = loss;
    if (known != null) {
      parts.events().execute(() -> tell(once, known));
    }
  }

  /** Notifies a listener once: only the caller that removes it from the list runs it. */
  private void tell(Consumer<? super LeaseChange> listener, LeaseChange event) {
    if (listeners.remove(listener)) {
      Trampoline.guarded(() -> listener.accept(event));
    }
  }

  @Override
  public String toString() {
    return "LeaseRequest[" + keys.name() + ", " + acquisition.id() + ']';
  }
}
