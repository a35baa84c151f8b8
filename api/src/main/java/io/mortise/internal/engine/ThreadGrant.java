package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.engine.GateRule.Stay;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Gate} has from the store for its threads: one acquisition, and whether a thread
 * uses it, or may take it over. The gate has those that wait for it. Both use one mutex.
 */
final class ThreadGrant implements Acquisition.Grant, Hold.Place {
  /* Overview
   *
   *   NONE        it holds nothing. The agent of the gate may be asking for its acquisition
   *   USED        a thread is the holder (hold != null)
   *   HANDED_OFF  free: a thread was woken for it, and any thread of the gate may take it over
   *   RETAINED    free: no thread waits for it, and the service keeps it for a thread to come
   *   GOING       it is being given back to the store
   *
   * Every transition is one critical section under `mutex`. Nothing blocks in it, and no command is
   * sent. The transitions:
   *
   *   NONE        the store says in time that it is held     USED by the agent
   *   USED        unlock, a hand-off is allowed              HANDED_OFF; the first waiter is woken
   *   USED        unlock, nobody waits, may retain           RETAINED
   *   USED        unlock                                     GOING: renewal has stopped before the
   *                                                          release is sent
   *   HANDED_OFF  a thread comes or wakes, still held        USED by that thread, which re-reads the
   *                                                          hold: the linearization point
   *   HANDED_OFF  the last waiter gives up                   RETAINED, or GOING by that waiter
   *   HANDED_OFF  its time is over (Stay)                    GOING, in the background
   *   RETAINED    a thread comes, may retain                 USED by that thread
   *   RETAINED    another thread comes                       GOING, by that thread; then it is agent
   *   RETAINED    its time is over, another process wants    GOING, in the background. It ends
   *               it, messages may be missed, the service    before the command is sent
   *               closes, or a request has no place here
   *   NONE, USED  another process wants it, for the first    no change: from now on it is handed off
   *   HANDED_OFF  time, or messages may be missed            for HAND_OFF_TIME, and never retained
   *   GOING       another process wants it, also late        no change
   *   GOING       reply, or none                             NONE; the gate goes on
   *   all others  lease lost                                 NONE; the gate goes on. LostHolds marks
   *                                                          the holder. A loss of a RETAINED hold
   *                                                          is told to nobody
   *   USED        the holder's thread has ended              no change and no renewal, until the
   *                                                          lease is lost
   *   any         unlock after the hold was lost             no change: LeaseLostException
   *
   * A hand-off wakes the first waiter but does not reserve the hold for it. A running thread may
   * take it over first, as with the JDK's unfair lock. The waiter stays first, and parks again.
   * Until it does, it looks at the gate once more, so a hand-off meanwhile does not wake it. Stay
   * bounds for how long other threads overtake it, and for how long a hold lies that no thread uses:
   * the woken thread may be stopped for long. Then the hold goes back, and the first waiter asks for
   * the next one, which queues behind the other processes.
   *
   * Invariants:
   *   (G1) A thread holds the lock only with hold == its own hold. It was set under the mutex while
   *        the acquisition was held and before its deadline.
   *   (G2) Exactly one call of HeldLease.end succeeds for an acquisition, so exactly one of release
   *        and loss moves the gate on.
   */
  private enum State {
    NONE,
    USED,
    HANDED_OFF,
    RETAINED,
    GOING
  }

  /** The threads that wait for it at its gate. */
  interface Queue extends Releases.Source {
    /** The one that is woken next; null if none waits. Called under the mutex. */
    @Nullable Waiter first();

    /** Nothing is held any more, so the first one asks the store. Called under the mutex. */
    void goOn();
  }

  private final Parts parts;
  private final Queue queue;
  private final ReentrantLock mutex;
  private final Stay stay = new Stay();

  /** How many holds of the service are retained. */
  private final AtomicInteger retained;

  private State state = State.NONE;
  private @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;

  /** Will look whether the acquisition lies here unused for too long; null if it never lay. */
  private @Nullable Timer timer;

  /** The queue is its gate, which has the mutex. */
  ThreadGrant(Parts parts, Queue queue, ReentrantLock mutex, AtomicInteger retained) {
    this.parts = parts;
    this.queue = queue;
    this.mutex = mutex;
    this.retained = retained;
  }

  /** The holder's hold; null if no thread has the lock here. */
  @Nullable Hold hold() {
    return hold;
  }

  /** Call it under the mutex. Whether it neither holds anything nor gives it back. */
  boolean isNone() {
    return state == State.NONE;
  }

  /** Call it under the mutex. Whether what it had goes back to the store. */
  boolean isGoing() {
    return state == State.GOING;
  }

  /** Call it under the mutex. What it had is back in the store. */
  void gone() {
    become(State.NONE);
  }

  private boolean isFree() {
    return state == State.HANDED_OFF || state == State.RETAINED;
  }

  private void become(State next) {
    if (state == State.RETAINED) {
      retained.decrementAndGet();
    }
    state = next;
  }

  private Store store() {
    return parts.store();
  }

  // It begins: called under the mutex

  /** The acquisition that the agent asks for, or that is held; null if there is none. */
  @Nullable Acquisition acquisition() {
    return acquisition;
  }

  /** From now on the agent asks for that one. Returns it. */
  Acquisition expects(Acquisition asked) {
    acquisition = asked;
    stay.expects();
    return asked;
  }

  /** The acquisition is no longer its own: it came too late, was given up, or has another grant. */
  void forget() {
    acquisition = null;
  }

  /**
   * The agent has taken the acquisition, and is the holder.
   *
   * @param alone whether nobody held it, waited for it or was remembered, and who wants it is heard
   */
  void begins(Waiter agent, Acquisition held, long now, boolean alone) {
    stay.begins(alone);
    begin(agent, held, now, held.lease().token(), false);
  }

  /** Takes over what is free. Returns false if the waiter cannot have it. */
  boolean takeOver(Waiter waiter) {
    Acquisition held = acquisition;
    if (held == null || !isFree() || !waiter.lease().mayBeHandedOff()) {
      return false;
    }
    long now = store().now();
    if (state == State.RETAINED
        ? !stay.mayRetain(store(), held, now)
        : !held.lease().isValid(now)) {
      return false;
    }
    int handOffs = stay.takenOver();
    // An acquisition has one token, and one more for each hand-off that is allowed.
    long token = held.lease().token() == 0 ? 0 : held.lease().token() + handOffs;
    begin(waiter, held, now, token, true);
    return true;
  }

  private void begin(Waiter waiter, Acquisition held, long now, long token, boolean handedOff) {
    Hold begun = new Hold(this, waiter.thread(), held, now, token);
    parts.events().attempts().begins(begun, waiter, handedOff);
    waiter.enters(begun);
    become(State.USED);
    hold = begun;
  }

  // The holder's side

  @Override
  public Pending exit(Hold own, long now, Store.Sender sender) {
    Acquisition toRelease;
    boolean isRetained;
    mutex.lock();
    try {
      if (hold != own) {
        return () -> false;
      }
      hold = null;
      become(State.HANDED_OFF); // unless it is retained, or ends
      toRelease = stayOrEnd(now);
      isRetained = state == State.RETAINED;
      if (toRelease == null) {
        parts.events().attempts().leaves(own, now);
      }
    } finally {
      mutex.unlock();
    }
    if (toRelease != null) {
      return parts.releases().releaseFrom(queue, own, sender);
    }
    if (isRetained) {
      LockLog.retained(own, now);
    } else {
      LockLog.handedOff(own, now);
    }
    return () -> true;
  }

  /**
   * Call it under the mutex, when no thread has the hold. Wakes the first waiter to take it over,
   * retains it for a thread to come, or ends it.
   *
   * @return the acquisition that the caller must now release; null if there is none
   */
  private @Nullable Acquisition stayOrEnd(long now) {
    Acquisition held = acquisition;
    Waiter next = queue.first();
    if (held == null) {
      return null;
    }
    if (next != null && stay.mayHandOff(store(), held, next, now) && lies(held, now)) {
      next.wakeToLook(store().time());
      return null;
    }
    boolean retains = next == null && stay.mayRetain(store(), held, now) && retain();
    return retains && lies(held, now) ? null : end(held);
  }

  /** Returns false if the service retains as many as it may. */
  private boolean retain() {
    boolean may = retained.incrementAndGet() <= GateRule.MOST_RETAINED;
    if (may) {
      state = State.RETAINED;
    } else {
      retained.decrementAndGet();
    }
    return may;
  }

  private @Nullable Acquisition end(Acquisition held) {
    if (!held.lease().end(LeaseState.RELEASED)) {
      return null;
    }
    store().departures().begins(held, held.keys());
    become(State.GOING);
    acquisition = null;
    closeTimer();
    return held;
  }

  // What no thread uses

  /**
   * Call it under the mutex, when no thread uses the hold any more. A timer that is set stays, also
   * while threads use it. Returns false if none can be set: then the hold must not lie.
   */
  private boolean lies(Acquisition held, long now) {
    try {
      if (timer == null) {
        long left = stay.untilLook(store(), held, state == State.HANDED_OFF, now);
        timer = store().time().schedule(() -> look(held, () -> {}), Duration.ofNanos(left));
      }
      return true;
    } catch (Throwable e) { // an Error too: a thread may wait for what lies here
      LockLog.noTimer(held, e);
      return false;
    }
  }

  private void closeTimer() {
    Timer pending = timer;
    if (pending != null) {
      pending.close();
      timer = null;
    }
  }

  @Override
  public void wanted(Acquisition held) {
    look(held, this::isWanted);
  }

  @Override
  public void missedMessages() {
    look(null, stay::missedMessages);
  }

  /** As {@link #endOverdue}; gives it back in the background. */
  private void look(@Nullable Acquisition only, Runnable note) {
    Acquisition overdue = endOverdue(only, note);
    if (overdue != null) {
      parts.releases().giveBackFrom(queue, overdue, () -> {});
    }
  }

  /**
   * A request that cannot take over what is here wants the lock. Ends it if it is unused; the
   * caller gives it back.
   */
  @Nullable Acquisition endUnwanted() {
    return endOverdue(null, this::isWanted);
  }

  private void isWanted() {
    stay.wanted(store().now());
  }

  /**
   * Ends the hold if no thread uses it and it may lie no longer, and returns it. Otherwise it is
   * looked at again when it may be so.
   *
   * @param only the acquisition that is meant; null for whichever it has now
   * @param note what to note of that acquisition, also if a thread uses it
   */
  private @Nullable Acquisition endOverdue(@Nullable Acquisition only, Runnable note) {
    mutex.lock();
    try {
      Acquisition held = acquisition;
      if (only != null && only != held) {
        return null;
      }
      note.run();
      closeTimer();
      if (held == null || !isFree()) {
        return null;
      }
      long now = store().now();
      boolean lies =
          stay.left(store(), held, state == State.HANDED_OFF, now) > 0 && lies(held, now);
      return lies ? null : endUnused(held);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Call it under the mutex, when a thread comes that cannot take over what is here. Ends what is
   * retained, or was handed off to a thread that is giving up. The caller gives it back.
   */
  @Nullable Acquisition endUnused() {
    Acquisition held = acquisition;
    boolean left = state == State.HANDED_OFF && queue.first() == null;
    return held != null && (left || state == State.RETAINED) ? endUnused(held) : null;
  }

  private @Nullable Acquisition endUnused(Acquisition held) {
    boolean unused = store().phase().releasing();
    return end(held);
  }

  /**
   * Call it under the mutex: the service takes no more work. Ends what is free.
   *
   * @return the acquisition, now ended, which the caller gives back; null if there is none
   */
  @Nullable Acquisition turnAway() {
    return isFree() ? stayOrEnd(store().now()) : null;
  }

  /** A waiter gives up. The next one is woken for what was handed off, or that ends. */
  @Nullable Acquisition endHandedOff() {
    mutex.lock();
    try {
      return state == State.HANDED_OFF ? stayOrEnd(store().now()) : null;
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public boolean retains(Acquisition held) {
    mutex.lock();
    try {
      return state == State.RETAINED && acquisition == held;
    } finally {
      mutex.unlock();
    }
  }

  // The lease

  @Override
  public List<Holder> holders(Acquisition held) {
    Hold current = hold;
    return current == null || current.acquisition() != held ? List.of() : List.of(current.holder());
  }

  /** {@inheritDoc} Marks the holder's thread, and makes the next waiter the agent. */
  @Override
  public boolean lose(Acquisition held, Loss why) {
    Hold lost;
    boolean untold;
    mutex.lock();
    try {
      if (!held.lease().lose(why)) {
        return false;
      }
      untold = state == State.RETAINED;
      become(State.NONE);
      closeTimer();
      lost = hold;
      if (lost != null) {
        parts.lostHolds().add(lost);
      }
      hold = null;
      acquisition = null;
      queue.goOn();
    } finally {
      mutex.unlock();
    }
    if (untold) {
      parts.releases().lostUnused(held, why);
    } else {
      parts.releases().lost(held, lost == null ? List.of() : List.of(lost), why);
    }
    return true;
  }

  @Override
  public String toString() {
    return "ThreadGrant[" + state + ']';
  }
}
