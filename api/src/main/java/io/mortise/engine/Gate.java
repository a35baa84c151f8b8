package io.mortise.engine;

import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.engine.Acquisition.Taking;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of one lock name in this process: its threads queue here, and one at a time deals with
 * the store. A thread that wants a fair lock has a gate of its own, so it queues in the store.
 */
final class Gate implements Owner {
  /*
   * Overview
   *
   * The gate owns at most one remote acquisition. Its phases:
   *
   *   ACQUIRING  one thread, the agent, talks to the store for the acquisition
   *   HELD       the acquisition is held; claimed by a thread (hold != null), or passed on and
   *              waiting to be claimed (hold == null)
   *   RELEASING  a thread is giving the acquisition back to the store
   *   RETIRED    nobody is here; the gate is out of the engine's map for good
   *
   * A new gate is ACQUIRING with its creator as the agent, so an unused lock has no gate at all.
   * Every transition is one critical section under `mutex`, in which nothing blocks and no command
   * is sent. The transitions:
   *
   *   ACQUIRING         HELD reply before the deadline, or   HELD, claimed by the agent
   *                     let in by another's reply or by a
   *                     message, which it sees itself
   *   ACQUIRING         HELD reply too late, withdrawn, or   the same agent, a new acquisition
   *                     forced out before it was known
   *   ACQUIRING         agent gives up, others wait          the first becomes agent of the same
   *                                                          acquisition, without a command
   *   ACQUIRING         agent gives up, nobody waits         RETIRED; the acquisition is withdrawn
   *   HELD, claimed     unlock, may be passed on             HELD, unclaimed; the first is woken
   *   HELD, claimed     unlock                               RELEASING: renewal has stopped before
   *                                                          the release is sent
   *   HELD, unclaimed   a thread comes or wakes, still HELD  HELD, claimed by it (the linearization
   *                                                          point: it re-reads the hold)
   *   HELD, unclaimed   the last waiter gives up             RELEASING, by that waiter
   *   RELEASING         reply, or none                       the first waiter is agent, or RETIRED
   *   HELD              lease lost                           the owner is marked in LostHolds; the
   *                                                          first waiter is agent, or RETIRED
   *   HELD, claimed     the owner's thread has ended         stays, unrenewed, until the lease is lost
   *   any               unlock by whoever lost its hold      the same: LeaseLostException
   *
   * Who passes a hold on wakes the first waiter but does not reserve the hold for it: a running
   * thread may claim it first, as with the JDK's unfair lock. The waiter stays first, and the limit
   * of hand-offs bounds how often it is passed over: after them the hold goes back to the store,
   * and the first waiter is the agent of the next acquisition, behind the other processes.
   *
   * Invariants: (G1) a thread is inside only with hold == its own hold, set under the mutex while
   * the acquisition was HELD and before its deadline. (G2) Exactly one call of Acquisition.end
   * succeeds, so exactly one of release and loss moves the gate on. (G3) Whoever leaves the gate
   * without a hold leaves an agent, a woken waiter, a releasing thread, or nobody.
   */
  private enum Phase {
    ACQUIRING,
    HELD,
    RELEASING,
    RETIRED
  }

  /** What a thread at the gate does next. */
  enum Step {
    /** It has the lock. */
    CLAIMED,
    /** It does not get the lock. */
    REFUSED,
    /** It is the agent. */
    AGENT,
    /** It waits for other threads of this process. */
    WAIT,
    /** This gate is gone; it asks the engine for another. */
    RETIRED
  }

  private final Engine engine;
  private final LockKeys keys;
  private final String place;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Deque<Waiter> waiters = new ArrayDeque<>(2);

  private Phase phase = Phase.ACQUIRING;
  private volatile @Nullable Waiter agent;
  private @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;
  private int handOffs;
  private volatile @Nullable LockException trouble;
  private volatile long troubleSince;

  Gate(Engine engine, LockKeys keys, Waiter creator) {
    this.engine = engine;
    this.keys = keys;
    this.place = keys.gate(creator.thread().getId());
    this.agent = creator;
  }

  @Override
  public LockKeys keys() {
    return keys;
  }

  /** Its key in the engine's map. */
  String place() {
    return place;
  }

  /** Whether threads wait here for that lock of that service. */
  boolean isOf(Engine service, LockKeys lock) {
    return engine == service && keys.queue().equals(lock.queue());
  }

  /** The hold of whoever is inside. */
  @Nullable Hold hold() {
    return hold;
  }

  /** Takes the lock for the calling thread, or returns why it did not. */
  Step enter(Waiter waiter) throws InterruptedException {
    Step step = arrive(waiter);
    boolean waited = step == Step.WAIT;
    if (waited) {
      step = await(waiter);
    }
    return step == Step.AGENT ? engine.agents().acquire(this, waiter, waited) : step;
  }

  Step arrive(Waiter waiter) {
    mutex.lock();
    try {
      if (agent == waiter) {
        return Step.AGENT;
      }
      if (phase == Phase.RETIRED) {
        return Step.RETIRED;
      }
      if (isClaimableBy(waiter)) {
        claim(waiter);
        return Step.CLAIMED;
      }
      LockException failing = trouble;
      if (!waiter.waits() && failing != null) {
        throw Failures.ofOther(keys, failing);
      }
      if (!waiter.waits()) {
        return Step.REFUSED;
      }
      waiters.add(waiter);
      return Step.WAIT;
    } finally {
      mutex.unlock();
    }
  }

  private Step await(Waiter waiter) throws InterruptedException {
    while (true) {
      mutex.lock();
      try {
        if (agent == waiter) {
          return Step.AGENT;
        }
        if (isClaimableBy(waiter)) {
          waiters.remove(waiter);
          claim(waiter);
          return Step.CLAIMED;
        }
        if (waiter.isInterrupted() || waiter.isOver(engine.now()) || !engine.takesWork()) {
          waiters.remove(waiter);
          break;
        }
      } finally {
        mutex.unlock();
      }
      waiter.park(engine.time(), this);
    }
    return giveUp(waiter);
  }

  /** The waiter is out of the queue and did not get the lock: wakes whoever is next. */
  private Step giveUp(Waiter waiter) throws InterruptedException {
    Trampoline.step(this::giveBackUnclaimed);
    LockException why = trouble;
    engine.checkOpen(keys);
    waiter.checkInterrupt();
    if (why != null) {
      throw Failures.ofOther(keys, why);
    }
    return Step.REFUSED;
  }

  private void giveBackUnclaimed() {
    boolean unused = engine.closing().releasing();
    try {
      Acquisition unclaimed = endUnclaimed();
      if (unclaimed != null) {
        giveBack(unclaimed);
      }
    } finally {
      engine.closing().released();
    }
  }

  /** Wakes whoever may claim what was passed on, or ends it. */
  private @Nullable Acquisition endUnclaimed() {
    mutex.lock();
    try {
      return phase == Phase.HELD && hold == null ? passOnOrRelease() : null;
    } finally {
      mutex.unlock();
    }
  }

  private void giveBack(Acquisition unclaimed) {
    try {
      engine.giveUp(unclaimed, engine.settings().commandTimeout().toNanos());
    } finally {
      goOn();
    }
  }

  private boolean isClaimableBy(Waiter waiter) {
    Acquisition held = acquisition;
    return phase == Phase.HELD
        && hold == null
        && held != null
        && waiter.lease().renewed()
        && held.isValid(engine.now());
  }

  private void claim(Waiter waiter) {
    Acquisition held = acquisition;
    if (held != null) {
      handOffs++;
      // An acquisition has as many tokens as it may be passed on, and one.
      long token = held.token() == 0 ? 0 : held.token() + handOffs;
      begin(waiter, held, engine.now(), token);
    }
  }

  private void begin(Waiter waiter, Acquisition held, long now, long token) {
    Hold begun = new Hold(this, waiter.thread(), held, now, token);
    engine.events().begins(begun);
    waiter.enters(begun);
    hold = begun;
  }

  // The agent's side

  /** The acquisition the agent deals with; a new one if there is none. */
  Acquisition acquisitionFor(Waiter waiter) {
    mutex.lock();
    try {
      Acquisition current = acquisition;
      return current == null ? begin(waiter) : current;
    } finally {
      mutex.unlock();
    }
  }

  private Acquisition begin(Waiter waiter) {
    boolean own = !place.equals(keys.lock()); // else another thread may take it over
    Acquisition begun = engine.newAcquisition(this, waiter.thread().getId(), waiter.lease(), own);
    acquisition = begun;
    return begun;
  }

  /**
   * The store answered that the agent's acquisition holds the lock.
   *
   * @return too late also if the service is closed; then the acquisition is no longer this gate's
   */
  Taking granted(Waiter waiter, Acquisition held, long sentAt) {
    mutex.lock();
    try {
      long now = engine.now();
      Taking taking =
          engine.takesWork()
              ? held.take(waiter.lease(), sentAt, now, engine.longestHold())
              : Taking.TOO_LATE;
      if (taking == Taking.TOO_LATE) {
        acquisition = null;
      } else if (taking == Taking.HELD) {
        phase = Phase.HELD;
        agent = null;
        handOffs = 0;
        begin(waiter, held, now, held.token());
      }
      return taking;
    } finally {
      mutex.unlock();
    }
  }

  /** The agent's acquisition can no longer be had; another has its place in line. */
  void replace(Waiter waiter, Acquisition gone) {
    mutex.lock();
    try {
      begin(waiter).succeeds(gone);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * The last command of the agent failed.
   *
   * @return since when commands have failed, through whatever agents
   */
  long failing(LockException failure, long now) {
    if (trouble == null) {
      troubleSince = now;
    }
    trouble = failure;
    return troubleSince;
  }

  /** The store has answered the agent. */
  void answered() {
    trouble = null;
  }

  /**
   * The agent gives up. The first local waiter takes over the acquisition and its place in the
   * lock's queue.
   *
   * @return the acquisition, if nobody is left to take it over
   */
  @Nullable Acquisition resign() {
    mutex.lock();
    try {
      Acquisition orphan = waiters.isEmpty() ? acquisition : null;
      if (orphan != null) {
        acquisition = null;
      }
      appointNext();
      return orphan;
    } finally {
      mutex.unlock();
    }
  }

  /** The agent takes it, on its own thread. */
  @Override
  public void granted(Acquisition letIn, long sentAt) {
    letIn.letIn(sentAt);
  }

  @Override
  public void wake() {
    Waiter now = agent;
    if (now != null) {
      now.unpark(engine.time());
    }
  }

  /**
   * The service takes no more work: wakes every thread that waits here, so that it sees that.
   *
   * @return what was passed on and not yet claimed, ended; the caller gives it back
   */
  @Nullable Acquisition turnAway() {
    mutex.lock();
    try {
      wake();
      waiters.forEach(waiter -> waiter.unpark(engine.time()));
      Acquisition unclaimed = phase == Phase.HELD && hold == null ? passOnOrRelease() : null;
      if (unclaimed != null) {
        appointNext();
      }
      return unclaimed;
    } finally {
      mutex.unlock();
    }
  }

  /** Under the mutex, with neither hold nor agent. */
  private void appointNext() {
    Waiter next = waiters.poll();
    agent = next;
    if (next == null) {
      phase = Phase.RETIRED;
      engine.retire(this);
    } else {
      phase = Phase.ACQUIRING;
      next.unpark(engine.time());
    }
  }

  // The holder's side

  /**
   * Ends the calling thread's outermost hold.
   *
   * @return whether it was still held
   */
  boolean exit(Hold own) {
    Acquisition toRelease;
    mutex.lock();
    try {
      if (hold != own) {
        return false;
      }
      hold = null;
      toRelease = passOnOrRelease();
    } finally {
      mutex.unlock();
    }
    if (toRelease == null) {
      Story.handedOn(own, engine.now());
      return true;
    }
    boolean had = release(toRelease);
    if (had) {
      Story.released(own, engine.now());
    }
    return had;
  }

  /**
   * Under the mutex, the hold unclaimed: wakes the first waiter to claim it, or ends it.
   *
   * @return the acquisition the caller must now release
   */
  private @Nullable Acquisition passOnOrRelease() {
    Acquisition held = acquisition;
    Waiter next = waiters.peek();
    if (held == null) {
      return null;
    }
    if (next != null && mayPassOn(held, next)) {
      next.unpark(engine.time());
      return null;
    }
    if (!held.end(LeaseState.RELEASED)) {
      return null;
    }
    phase = Phase.RELEASING;
    acquisition = null;
    return held;
  }

  private boolean mayPassOn(Acquisition held, Waiter next) {
    long now = engine.now();
    LeasePolicy lease = held.lease();
    return handOffs < engine.settings().handOffLimit()
        && lease.renewed()
        && next.lease().renewed()
        && now - held.acquiredAt() < Settings.HAND_OFF_TIME.toNanos()
        && held.state(now) == LeaseState.HELD
        && held.remaining(now) >= engine.settings().shortestGiven(lease) / 2
        && engine.takesWork();
  }

  /** What hangs on the reply finds the gate moved on. */
  private boolean release(Acquisition ended) {
    return Trampoline.step(() -> releaseAndAppoint(ended));
  }

  private boolean releaseAndAppoint(Acquisition ended) {
    try {
      return engine.release(ended);
    } finally {
      goOn();
    }
  }

  /** What was held is given back. */
  private void goOn() {
    mutex.lock();
    try {
      appointNext();
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public @Nullable Holder holder(Acquisition held) {
    Hold inside = hold;
    if (inside == null || inside.acquisition() != held) {
      return null;
    }
    Thread thread = inside.thread();
    String gone = thread.isAlive() ? null : "ended without unlocking";
    return new Holder("thread " + thread.getName(), inside.since(), gone);
  }

  /** Marks the owner, and lets the next thread try. */
  @Override
  public boolean lose(Acquisition held, String reason) {
    Hold lost;
    mutex.lock();
    try {
      if (!held.lose(reason)) {
        return false;
      }
      lost = hold;
      if (lost != null) {
        engine.lostHolds().add(lost);
      }
      hold = null;
      acquisition = null;
      appointNext();
    } finally {
      mutex.unlock();
    }
    engine.lost(held, lost, reason);
    return true;
  }

  @Override
  public String toString() {
    return "Gate[" + keys.name() + ", " + phase + ", " + waiters.size() + " waiting]";
  }
}
