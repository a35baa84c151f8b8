package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.ServiceOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of one lock name in a service. The threads of the service queue here, and one of them
 * at a time, the agent, deals with the store. A thread that wants a fair lock has a gate of its
 * own, so it queues in the store.
 */
final class Gate implements Acquisition.Owner, Hold.Place {
  /* Overview
   *
   * The gate owns at most one acquisition in the store. Its phases:
   *
   *   ACQUIRING  one thread, the agent, talks to the store for the acquisition
   *   HELD       the acquisition holds the lock. Either a thread is its holder (hold != null), or
   *              the lock was handed off and waits for a thread to take it over (hold == null)
   *   RELEASING  a thread is giving the acquisition back to the store
   *   RETIRED    no thread is at the gate; it has left the map of Gates for good
   *
   * A new gate is ACQUIRING with its creator as the agent, so an unused lock has no gate at all.
   * Every transition is one critical section under `mutex`. Nothing blocks in it, and no command is
   * sent. The transitions:
   *
   *   ACQUIRING         HELD reply before the deadline, or   HELD, the agent is the holder
   *                     a grant in another reply or in a
   *                     message, which the agent reads
   *   ACQUIRING         HELD reply too late; the id was      the same agent, a new acquisition
   *                     withdrawn before its command ran;
   *                     or revoked before it was taken
   *   ACQUIRING         agent gives up, others wait          the first becomes agent of the same
   *                                                          acquisition, without a command
   *   ACQUIRING         agent gives up, nobody waits         RETIRED; the acquisition is withdrawn
   *   HELD, a holder    unlock, a hand-off is allowed        HELD, handed off; the first is woken
   *   HELD, a holder    unlock                               RELEASING: renewal has stopped before
   *                                                          the release is sent
   *   HELD, handed off  a thread comes or wakes, still HELD  HELD, that thread is the holder. This
   *                                                          is the linearization point: the
   *                                                          thread re-reads the hold
   *   HELD, handed off  the last waiter gives up             RELEASING, by that waiter
   *   RELEASING         reply, or none                       the first waiter is agent, or RETIRED
   *   HELD              lease lost                           LostHolds marks the holder; the first
   *                                                          waiter is agent, or RETIRED
   *   HELD, a holder    the holder's thread has ended        no change and no renewal, until the
   *                                                          lease is lost
   *   any               unlock after the hold was lost       no change: LeaseLostException
   *
   * A hand-off wakes the first waiter but does not reserve the hold for it. A running thread may
   * take it over first, as with the JDK's unfair lock. The waiter stays first. The limit of
   * hand-offs bounds how often other threads overtake it: after so many, the hold goes back to the
   * store. The first waiter is then the agent of the next acquisition, which queues behind the
   * other processes.
   *
   * Invariants:
   *   (G1) A thread holds the lock only with hold == its own hold. It was set under the mutex while
   *        the acquisition was HELD and before its deadline.
   *   (G2) Exactly one call of HeldLease.end succeeds for an acquisition, so exactly one of release
   *        and loss moves the gate on.
   *   (G3) A thread that leaves the gate without a hold leaves an agent, a woken waiter, a
   *        releasing thread, or no thread at all.
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
    ACQUIRED,
    /** It does not get the lock. */
    REFUSED,
    /** It is the agent. */
    AGENT,
    /** It waits for other threads of this service. */
    WAIT,
    /** This gate is gone; the thread asks {@link Gates} for another. */
    RETIRED
  }

  /** What a gate needs from its service. */
  interface Home {
    /**
     * A new acquisition of a gate.
     *
     * @param own whether no thread with another lease may take it over
     */
    Acquisition newAcquisition(Gate gate, Waiter waiter, boolean own);

    /** Gives it back to the store; returns whether the store still had it. */
    boolean release(Acquisition ended);

    /** Takes it back: on this thread for at most that long (ns), then in the background. */
    void giveUp(Acquisition unwanted, long patience);

    /** A gate has lost an acquisition, and the thread that held it has lost its hold. */
    void lost(Acquisition lost, @Nullable Hold hold, String reason);

    /** No thread is at the gate any more. */
    void retire(Gate gate);
  }

  private final Store store;
  private final Home home;
  private final LeaseEvents events;
  private final LostHolds lostHolds;
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

  Gate(
      Store store,
      Home home,
      LeaseEvents events,
      LostHolds lostHolds,
      LockKeys keys,
      Waiter creator) {
    this.store = store;
    this.home = home;
    this.events = events;
    this.lostHolds = lostHolds;
    this.keys = keys;
    this.place = keys.gate(creator.thread().getId());
    this.agent = creator;
  }

  @Override
  public LockKeys keys() {
    return keys;
  }

  /** Its key in the map of {@link Gates}. */
  String place() {
    return place;
  }

  /** Whether threads wait here for that lock of that service. */
  boolean isOf(Store service, LockKeys lock) {
    return store == service && keys.queue().equals(lock.queue());
  }

  /** The holder's hold; null if no thread has the lock here. */
  @Nullable Hold hold() {
    return hold;
  }

  /** A thread comes. Returns what it does next. */
  Step arrive(Waiter waiter) {
    mutex.lock();
    try {
      if (agent == waiter) {
        return Step.AGENT;
      }
      if (phase == Phase.RETIRED) {
        return Step.RETIRED;
      }
      if (canTakeOver(waiter)) {
        takeOver(waiter);
        return Step.ACQUIRED;
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

  /** Waits for the other threads of this service. Returns what the thread does next. */
  Step await(Waiter waiter) throws InterruptedException {
    while (true) {
      mutex.lock();
      try {
        if (agent == waiter) {
          return Step.AGENT;
        }
        if (canTakeOver(waiter)) {
          waiters.remove(waiter);
          takeOver(waiter);
          return Step.ACQUIRED;
        }
        if (waiter.isInterrupted() || waiter.isOver(store.now()) || !store.takesWork()) {
          waiters.remove(waiter);
          break;
        }
      } finally {
        mutex.unlock();
      }
      waiter.park(store.time(), this);
    }
    return giveUp(waiter);
  }

  /** The waiter is out of the queue and did not get the lock: wakes the next one. */
  private Step giveUp(Waiter waiter) throws InterruptedException {
    Trampoline.step(this::giveBackHandedOff);
    LockException why = trouble;
    store.checkOpen(keys);
    waiter.checkInterrupt();
    if (why != null) {
      throw Failures.ofOther(keys, why);
    }
    return Step.REFUSED;
  }

  private void giveBackHandedOff() {
    boolean unused = store.phase().releasing();
    try {
      Acquisition handedOff = endHandedOff();
      if (handedOff != null) {
        giveBack(handedOff);
      }
    } finally {
      store.phase().released();
    }
  }

  /** Wakes the thread that may take over the hold that was handed off, or ends that hold. */
  private @Nullable Acquisition endHandedOff() {
    mutex.lock();
    try {
      return phase == Phase.HELD && hold == null ? handOffOrRelease() : null;
    } finally {
      mutex.unlock();
    }
  }

  private void giveBack(Acquisition handedOff) {
    try {
      home.giveUp(handedOff, store.options().commandTimeout().toNanos());
    } finally {
      goOn();
    }
  }

  private boolean canTakeOver(Waiter waiter) {
    Acquisition held = acquisition;
    return phase == Phase.HELD
        && hold == null
        && held != null
        && waiter.lease().renewed()
        && held.lease().isValid(store.now());
  }

  private void takeOver(Waiter waiter) {
    Acquisition held = acquisition;
    if (held != null) {
      handOffs++;
      // An acquisition has one token, and one more for each hand-off that is allowed.
      long token = held.lease().token() == 0 ? 0 : held.lease().token() + handOffs;
      begin(waiter, held, store.now(), token);
    }
  }

  private void begin(Waiter waiter, Acquisition held, long now, long token) {
    Hold begun = new Hold(this, waiter.thread(), held, now, token);
    events.begins(begun);
    waiter.enters(begun);
    hold = begun;
  }

  // The agent's side

  /** The acquisition that the agent deals with; a new one if there is none. */
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
    Acquisition begun = home.newAcquisition(this, waiter, own);
    acquisition = begun;
    return begun;
  }

  /**
   * The store answered that the agent's acquisition holds the lock.
   *
   * @return {@code TOO_LATE} also if the service is closed; then the acquisition is no longer this
   *     gate's
   */
  Taking granted(Waiter waiter, Acquisition held, long sentAt) {
    mutex.lock();
    try {
      long now = store.now();
      Taking taking =
          store.takesWork()
              ? held.take(waiter.lease(), sentAt, now, store.longestHold())
              : Taking.TOO_LATE;
      if (taking == Taking.TOO_LATE) {
        acquisition = null;
      } else if (taking == Taking.HELD) {
        phase = Phase.HELD;
        agent = null;
        handOffs = 0;
        begin(waiter, held, now, held.lease().token());
      }
      return taking;
    } finally {
      mutex.unlock();
    }
  }

  /** The agent's acquisition can no longer get the lock. A new one takes its place in the queue. */
  void replace(Waiter waiter, Acquisition gone) {
    mutex.lock();
    try {
      begin(waiter).place().succeeds(gone.place());
    } finally {
      mutex.unlock();
    }
  }

  /**
   * The last command of the agent failed.
   *
   * @return since when commands have failed, also those of earlier agents
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
   * @return the acquisition, if no waiter is left to take it over
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

  /** Notes the grant. The agent takes the lock on its own thread. */
  @Override
  public void granted(Acquisition granted, long sentAt) {
    granted.grantedByReply(sentAt);
  }

  @Override
  public void wake() {
    Waiter now = agent;
    if (now != null) {
      now.unpark(store.time());
    }
  }

  /**
   * The service takes no more work. Wakes every thread that waits here, so that it notices.
   *
   * @return the acquisition that was handed off and not yet taken over, now ended; the caller gives
   *     it back
   */
  @Nullable Acquisition turnAway() {
    mutex.lock();
    try {
      wake();
      waiters.forEach(waiter -> waiter.unpark(store.time()));
      Acquisition handedOff = phase == Phase.HELD && hold == null ? handOffOrRelease() : null;
      if (handedOff != null) {
        appointNext();
      }
      return handedOff;
    } finally {
      mutex.unlock();
    }
  }

  /** Call it under the mutex, when there is neither a hold nor an agent. */
  private void appointNext() {
    Waiter next = waiters.poll();
    agent = next;
    if (next == null) {
      phase = Phase.RETIRED;
      home.retire(this);
    } else {
      phase = Phase.ACQUIRING;
      next.unpark(store.time());
    }
  }

  // The holder's side

  /**
   * Ends the calling thread's outermost hold.
   *
   * @return whether it was still held
   */
  @Override
  public boolean exit(Hold own) {
    Acquisition toRelease;
    mutex.lock();
    try {
      if (hold != own) {
        return false;
      }
      hold = null;
      toRelease = handOffOrRelease();
    } finally {
      mutex.unlock();
    }
    if (toRelease == null) {
      LockLog.handedOff(own, store.now());
      return true;
    }
    boolean had = release(toRelease);
    if (had) {
      LockLog.released(own, store.now());
    }
    return had;
  }

  /**
   * Call it under the mutex, when no thread has the hold. Wakes the first waiter to take it over,
   * or ends it.
   *
   * @return the acquisition that the caller must now release; null if there is none
   */
  private @Nullable Acquisition handOffOrRelease() {
    Acquisition held = acquisition;
    Waiter next = waiters.peek();
    if (held == null) {
      return null;
    }
    if (next != null && mayHandOff(held, next)) {
      next.unpark(store.time());
      return null;
    }
    if (!held.lease().end(LeaseState.RELEASED)) {
      return null;
    }
    phase = Phase.RELEASING;
    acquisition = null;
    return held;
  }

  private boolean mayHandOff(Acquisition held, Waiter next) {
    long now = store.now();
    LeaseTerms lease = held.lease().terms();
    return handOffs < store.options().handOffLimit()
        && lease.renewed()
        && next.lease().renewed()
        && now - held.lease().acquiredAt() < ServiceOptions.HAND_OFF_TIME.toNanos()
        && held.lease().state(now) == LeaseState.HELD
        && held.lease().remaining(now) >= store.options().shortestGiven(lease) / 2
        && store.takesWork();
  }

  /** Callbacks of the reply run after the gate has moved on. */
  private boolean release(Acquisition ended) {
    return Trampoline.step(() -> releaseAndAppoint(ended));
  }

  private boolean releaseAndAppoint(Acquisition ended) {
    try {
      return home.release(ended);
    } finally {
      goOn();
    }
  }

  /** The acquisition is back in the store: the next waiter becomes the agent. */
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
    Hold current = hold;
    if (current == null || current.acquisition() != held) {
      return null;
    }
    Thread thread = current.thread();
    String gone = thread.isAlive() ? null : "ended without unlocking";
    return new Holder("thread " + thread.getName(), current.since(), gone);
  }

  /** Marks the holder's thread in {@link LostHolds}, and makes the next waiter the agent. */
  @Override
  public boolean lose(Acquisition held, String reason) {
    Hold lost;
    mutex.lock();
    try {
      if (!held.lease().lose(reason)) {
        return false;
      }
      lost = hold;
      if (lost != null) {
        lostHolds.add(lost);
      }
      hold = null;
      acquisition = null;
      appointNext();
    } finally {
      mutex.unlock();
    }
    home.lost(held, lost, reason);
    return true;
  }

  @Override
  public String toString() {
    return "Gate[" + keys.name() + ", " + phase + ", " + waiters.size() + " waiting]";
  }
}
