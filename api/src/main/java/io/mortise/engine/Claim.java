package io.mortise.engine;

import io.mortise.LeaseLost;
import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.LockServiceClosedException;
import io.mortise.spi.BackendException;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource.Timer;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lease, from before its first command until its lease is over. It waits in the
 * store's queue by itself, and no thread waits for it. Thread-safe.
 */
final class Claim implements Owner, Outbox.Letter {
  /* Overview
   *
   *   WAITING   to be asked for: now, when a message comes, or when its next check is due; or to be
   *             let in by another's reply
   *   ASKING    a command is out
   *   HELD      a lease was given out; from here on the acquisition's own state counts
   *   DONE      refused, failed or given up; what the store may know of it is withdrawn
   *
   * Transitions are under this object's monitor, in which nothing blocks and no command is sent;
   * what follows from one is returned as a Runnable and run outside. Exactly one transition leads
   * to HELD or DONE, and only that one completes the result. A time that ends while a command is
   * out ends the waiting, not the claim: the answer decides, as it does for a thread.
   */
  private enum Phase {
    WAITING,
    ASKING,
    HELD,
    DONE
  }

  private final Engine engine;
  private final LockKeys keys;
  private final LeasePolicy policy;
  private final long threadId = Thread.currentThread().getId();
  private final long wait;
  private final long start;
  private final List<Consumer<? super LeaseLost>> listeners = new CopyOnWriteArrayList<>();

  private Phase phase = Phase.WAITING;
  private Acquisition acquisition;
  private long askedAt;
  private boolean timeIsOver;
  private @Nullable Timer timer;
  private @Nullable LockException failure;
  private final Pause pause = new Pause();
  private long troubleSince;

  /** Let go when complete: it refers to the lease, whose users are to be missed. */
  private @Nullable CompletableFuture<Claimed> result;

  private volatile @Nullable WeakReference<EngineLease> handle;
  private volatile @Nullable Thread holder;
  private volatile @Nullable LeaseLost loss;

  private Claim(Engine engine, LockKeys keys, LeasePolicy policy, long wait) {
    this.engine = engine;
    this.keys = keys;
    this.policy = policy;
    this.wait = Math.max(Claimer.NOT, wait);
    start = engine.now();
    acquisition = newAcquisition();
  }

  /**
   * Asks for the first time.
   *
   * @param here whether the calling thread sends the first command: it waits for the answer anyway
   * @param result completed where the answer arrives, so nothing that blocks may hang on it;
   *     withdraws the claim when somebody else completes it
   */
  static void start(
      Engine engine,
      LockKeys keys,
      LeasePolicy policy,
      long wait,
      boolean here,
      CompletableFuture<Claimed> result) {
    Claim claim = new Claim(engine, keys, policy, wait);
    claim.result = result;
    engine.claims().add(claim);
    CompletableFuture<Claimed> unused =
        result.whenComplete((value, failed) -> claim.end(new CancellationException()));
    if (wait > Claimer.NOT && wait != Claimer.FOREVER) {
      claim.limit();
    }
    if (here) {
      claim.ask();
    } else {
      claim.wake();
    }
  }

  private synchronized void limit() {
    if (result != null) {
      timer = engine.time().schedule(this::timeIsOver, Duration.ofNanos(wait));
    }
  }

  private Acquisition newAcquisition() {
    return engine.newAcquisition(this, threadId, policy, true);
  }

  @Override
  public LockKeys keys() {
    return keys;
  }

  // Asking

  @Override
  public void wake() {
    engine.outbox().send(List.of(this));
  }

  private void ask() {
    ScriptCall call = toSend();
    if (call == null) {
      return; // its service was closed meanwhile
    }
    List<Object> reply;
    try {
      reply = engine.backend().execute(call);
    } catch (RuntimeException e) {
      answered(null, e);
      return;
    }
    answered(reply, null);
  }

  synchronized boolean isDue() {
    return phase == Phase.WAITING && !engine.isClosed() && acquisition.isDue(engine.now());
  }

  @Override
  public synchronized @Nullable ScriptCall toSend() {
    if (!isDue()) {
      return null;
    }
    phase = Phase.ASKING;
    askedAt = engine.now();
    acquisition.sending(askedAt);
    return engine.scripts().acquire(acquisition, policy, wait != Claimer.NOT, "");
  }

  @Override
  public void answered(@Nullable List<Object> reply, @Nullable Throwable failure) {
    if (reply == null) {
      failed(Failures.cause(failure));
      return;
    }
    Reply understood;
    try {
      understood = Reply.ofAcquire(reply);
    } catch (RuntimeException e) {
      failed(Failures.cause(e));
      return;
    }
    answered(understood);
  }

  private void answered(Reply reply) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return; // given up, and withdrawn
      }
      acquisition.answered();
      failure = null;
      pause.reset();
      next = next(reply);
    }
    next.run();
  }

  private Runnable next(Reply reply) {
    if (reply instanceof Reply.Held held) {
      acquisition.setToken(held.token());
      boolean good = acquisition.take(policy, askedAt, engine.now(), engine.longestHold());
      return good ? held() : heldTooLate();
    }
    if (reply instanceof Reply.Busy busy) {
      return refused(busy);
    }
    if (reply instanceof Reply.Open) {
      return done(new Claimed(null, null, true), null);
    }
    RuntimeException wrong = Failures.of(reply, keys);
    if (wrong != null) {
      return done(null, wrong);
    }
    phase = Phase.WAITING;
    Acquisition asked = acquisition;
    Runnable next;
    if (reply instanceof Reply.Waiting waiting) {
      engine.mailbox().complain(waiting.complaint());
      acquisition.queued(waiting, engine.now(), engine.settings().times());
      next = () -> engine.waits(asked);
    } else {
      acquisition = newAcquisition();
      next = () -> engine.forget(asked);
    }
    Runnable then = timeIsOver ? giveUp() : this::wake;
    return () -> {
      next.run();
      then.run();
    };
  }

  /** Begins, as by the reply to a command of its own; one that was sent later decides. */
  @Override
  public void granted(Acquisition letIn, long sentAt) {
    Runnable next;
    synchronized (this) {
      boolean begins =
          phase == Phase.WAITING
              && letIn == acquisition
              && letIn.mayBeLetIn(sentAt)
              && !engine.isClosed()
              && letIn.take(policy, sentAt, engine.now(), engine.longestHold());
      next = begins ? held() : letIn::signal;
    }
    next.run();
  }

  private Runnable refused(Reply.Busy busy) {
    String who = busy.holder() == null ? "somebody" : busy.holder();
    return done(new Claimed(null, who), null);
  }

  private Runnable held() {
    phase = Phase.HELD;
    EngineLease lease = new EngineLease(engine, this, acquisition);
    handle = new WeakReference<>(lease);
    CompletableFuture<Claimed> waiting = forgetResult();
    return () -> {
      engine.claims().remove(this);
      engine.took(lease.acquisition());
      tellAcquired();
      if (waiting == null || !waiting.complete(new Claimed(lease, null))) {
        CompletableFuture<Void> unused = lease.releaseAsync(); // nobody wants it any more
      }
    };
  }

  private void tellAcquired() {
    long waited = engine.now() - start;
    engine.events().acquiredElsewhere(keys.name(), waited);
  }

  /** The next beat asks with a new id, so that late answers are not asked for without end. */
  private Runnable heldTooLate() {
    Acquisition late = acquisition;
    acquisition = newAcquisition();
    phase = Phase.WAITING;
    troubleSince = engine.now();
    failure = Failures.tooSlow(keys, policy, engine.endpoint());
    Runnable next = timeIsOver || wait == Claimer.NOT ? giveUp() : () -> {};
    return () -> {
      engine.withdraw(late);
      next.run();
    };
  }

  /** Whether to try again is decided as for a waiting thread: see {@link Agents}. */
  private void failed(BackendException e) {
    Runnable next;
    synchronized (this) {
      if (phase != Phase.ASKING) {
        return;
      }
      phase = Phase.WAITING;
      long now = engine.now();
      acquisition.failed(e.outcome(), now + pause.next());
      troubleSince = failure == null ? now : troubleSince;
      failure = Failures.of(e, acquisition, engine.endpoint());
      boolean ridesOut =
          acquisition.mayBeKnown() && now - troubleSince < engine.settings().leaseTime().toNanos();
      boolean again = wait == Claimer.FOREVER ? ridesOut : wait != Claimer.NOT && !timeIsOver;
      next = again ? () -> {} : giveUp();
    }
    next.run();
  }

  // Ending

  private void timeIsOver() {
    Runnable next;
    synchronized (this) {
      timeIsOver = true;
      next = phase == Phase.WAITING ? giveUp() : () -> {};
    }
    next.run();
  }

  /** Ends it for a reason of its owner's, unless it has ended. */
  void end(RuntimeException why) {
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
                .formatted(keys.text(), engine.clientId())));
  }

  private Runnable giveUp() {
    return done(new Claimed(null, null), failure);
  }

  private Runnable done(@Nullable Claimed value, @Nullable RuntimeException why) {
    phase = Phase.DONE;
    Acquisition orphan = acquisition;
    boolean unqueued = value != null && (value.open() || value.heldBy() != null);
    boolean known = orphan.mayBeKnown() && (!unqueued || orphan.mayArriveLate());
    CompletableFuture<Claimed> waiting = forgetResult();
    return () -> {
      engine.claims().remove(this);
      if (!known) {
        engine.forget(orphan);
      } else if (!engine.isClosed()) {
        engine.withdraw(orphan);
      } // or else closing takes it out of the queue, with all others at once
      if (waiting != null && why != null) {
        waiting.completeExceptionally(why);
      } else if (waiting != null) {
        waiting.complete(value);
      }
    };
  }

  private @Nullable CompletableFuture<Claimed> forgetResult() {
    CompletableFuture<Claimed> waiting = result;
    result = null;
    if (timer != null) {
      timer.close();
    }
    return waiting;
  }

  // The lease

  /** A thread holds it from now on; null if anybody may. */
  void belongsTo(@Nullable Thread thread) {
    holder = thread;
  }

  @Override
  public @Nullable Holder holder(Acquisition held) {
    WeakReference<EngineLease> known = handle;
    if (known == null) {
      return null;
    }
    Thread thread = holder;
    if (thread != null && !thread.isAlive()) {
      return new Holder("thread " + thread.getName(), held.acquiredAt(), "ended without unlocking");
    }
    String gone = known.get() == null ? "is referred to by nobody and was never released" : null;
    return new Holder("lease " + held.id(), held.acquiredAt(), gone);
  }

  @Override
  public boolean lose(Acquisition held, String reason) {
    boolean wasHeld = held.end(LeaseState.LOST);
    if (wasHeld) {
      engine.lost(held, null, reason);
    }
    return wasHeld;
  }

  @Override
  public void told(LeaseLost event) {
    if (event.state() == LeaseState.LOST) {
      loss = event;
      listeners.forEach(listener -> tell(listener, event));
    }
  }

  void onLost(Consumer<? super LeaseLost> listener) {
    Consumer<LeaseLost> once = listener::accept; // an object of this call alone
    listeners.add(once);
    LeaseLost known = loss;
    if (known != null) {
      engine.events().execute(() -> tell(once, known));
    }
  }

  /** Whoever takes it out of the list tells it, so it is told once. */
  private void tell(Consumer<? super LeaseLost> listener, LeaseLost event) {
    if (listeners.remove(listener)) {
      Events.guarded(() -> listener.accept(event));
    }
  }

  @Override
  public String toString() {
    return "Claim[" + keys.name() + ", " + acquisition.id() + ']';
  }
}
