package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.engine.GateRule.Stay;
import io.mortise.internal.wire.AcquisitionId.Mark;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of one lock name in a service. The threads of the service queue here, and one of them
 * at a time, the agent, deals with the store. A thread that wants a fair lock has a gate of its
 * own, so it queues in the store.
 */
final class Gate implements Acquisition.Asker, Acquisition.Grant, Hold.Place {
  /* Overview
   *
   * The gate owns at most one acquisition in the store. Its phases:
   *
   *   ACQUIRING  one thread, the agent, talks to the store for the acquisition
   *   HELD       the acquisition holds the lock. Either a thread is its holder (hold != null), or
   *              the lock was handed off and waits for a thread to take it over (hold == null)
   *   RETAINED   the acquisition holds the lock, no thread has it or waits for it, and the service
   *              keeps it for a thread to come
   *   RELEASING  the acquisition is being given back to the store
   *   RETIRED    no thread is at the gate; it has left the map of Gates for good
   *
   * A new gate is ACQUIRING with its creator as the agent, so an unused lock has no gate at all.
   * Every transition is one critical section under `mutex`. Nothing blocks in it, and no command is
   * sent. The transitions:
   *
   *   ACQUIRING         HELD reply before the deadline, or   HELD, the agent is the holder
   *                     a grant in another reply or in a
   *                     message, which the agent reads
   *   ACQUIRING         the same, of a reader that may    RETIRED; the ReadGate has what is held
   *                     share what it gets
   *   ACQUIRING         HELD reply too late; the id was      the same agent, a new acquisition
   *                     withdrawn before its command ran;
   *                     or revoked before it was taken
   *   ACQUIRING         agent gives up, others wait          the first becomes agent of the same
   *                                                          acquisition, without a command
   *   ACQUIRING         agent gives up, nobody waits         RETIRED; the acquisition is withdrawn
   *   HELD, a holder    unlock, a hand-off is allowed        HELD, handed off; the first is woken
   *   HELD, a holder    unlock, nobody waits, may retain     RETAINED
   *   HELD, a holder    unlock                               RELEASING: renewal has stopped before
   *                                                          the release is sent
   *   HELD, handed off  a thread comes or wakes, still HELD  HELD, that thread is the holder. This
   *                                                          is the linearization point: the
   *                                                          thread re-reads the hold
   *   HELD, handed off  the last waiter gives up             RETAINED, or RELEASING by that waiter
   *   HELD, handed off  its time is over (Stay)              RELEASING, in the background
   *   RETAINED          a thread comes, may retain           HELD, that thread is the holder
   *   RETAINED          another thread comes                 RELEASING, by that thread; then it is
   *                                                          the agent
   *   RETAINED          its time is over, another process    RELEASING, in the background. It ends
   *                     wants it, messages may be missed,    before the command is sent
   *                     the service closes, or a request
   *                     that has no place here
   *   ACQUIRING         another process wants it, or         no change: when it is HELD, it is handed
   *                     messages may be missed               off for HAND_OFF_TIME, and not retained
   *   HELD              another process wants it, for the    no change: from now on it is handed off
   *                     first time                           for HAND_OFF_TIME, and not retained
   *   RELEASING         another process wants it, also       no change
   *                     late or twice
   *   RELEASING         reply, or none                       the first waiter is agent, or RETIRED
   *   HELD, RETAINED    lease lost                           LostHolds marks the holder, if there
   *                                                          is one; the first waiter is agent, or
   *                                                          RETIRED. A loss of a RETAINED hold is
   *                                                          told to nobody
   *   HELD, a holder    the holder's thread has ended        no change and no renewal, until the
   *                                                          lease is lost
   *   any               unlock after the hold was lost       no change: LeaseLostException
   *
   * A hand-off wakes the first waiter but does not reserve the hold for it. A running thread may
   * take it over first, as with the JDK's unfair lock. The waiter stays first, and parks again.
   * Until it does, it looks at the gate once more, so a hand-off meanwhile does not wake it. Time
   * bounds for how long other threads overtake it: Stay says when a hold is handed off no more. It
   * goes back to the store, and the first waiter is the agent of the next acquisition, which
   * queues behind the other processes. The same time bounds for how long a hold lies that no thread
   * uses, since the woken thread may be stopped for long. So the keeper renews no hold without a
   * holder beyond it.
   *
   * An attempt that does not wait is not refused by a hold that goes back. In RELEASING it is the
   * first waiter, and then the agent. If a thread waits already, it is refused, as it may not
   * overtake that one.
   *
   * The message that a hold is wanted may come at any time, and more than once. It is about the
   * acquisition with its id, so the gate heeds it only while that is its own.
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
    RETAINED,
    RELEASING,
    RETIRED
  }

  /** The gates of the service. */
  interface Home {
    /** A new acquisition of a gate. */
    Acquisition newAcquisition(Gate gate, Waiter waiter);

    /** No thread is at the gate any more. */
    void retire(Gate gate);
  }

  private final Parts parts;
  private final Store store;
  private final Home home;
  private final Stay stay;
  private final LockKeys keys;
  private final String place;
  private final ReentrantLock mutex = new ReentrantLock();
  private final Deque<Waiter> waiters = new ArrayDeque<>(2);

  private Phase phase = Phase.ACQUIRING;
  private volatile @Nullable Waiter agent;
  private @Nullable Acquisition acquisition;
  private volatile @Nullable Hold hold;

  /** Will look whether the acquisition lies here unused for too long; null if it never lay. */
  private @Nullable Timer timer;

  private volatile @Nullable RuntimeException trouble;
  private volatile @Nullable Long troubleSince;

  Gate(Parts parts, Home home, Stay stay, LockKeys keys, Waiter creator) {
    this.parts = parts;
    this.home = home;
    this.stay = stay;
    store = parts.store();
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

  /** Whether the threads of the service share it, so that any of them may take a hold over. */
  boolean isShared() {
    return place.equals(keys.lock());
  }

  /** That of its service. */
  Store store() {
    return store;
  }

  /** The holder's hold; null if no thread has the lock here. */
  @Nullable Hold hold() {
    return hold;
  }

  /** A thread comes. Returns what it does next. */
  Step arrive(Waiter waiter) {
    Acquisition unwanted;
    mutex.lock();
    try {
      if (agent == waiter) {
        return Step.AGENT;
      }
      if (phase == Phase.RETIRED) {
        return Step.RETIRED;
      }
      if (takeOver(waiter)) {
        return Step.ACQUIRED;
      }
      unwanted = endUnused();
      if (unwanted == null) {
        return queue(waiter);
      }
      add(waiter); // the only one, so it is the agent when that is given back
    } finally {
      mutex.unlock();
    }
    long patience = waiter.patience(commandTimeout(), store.now());
    Trampoline.step(() -> giveBackEnded(unwanted, patience));
    return waiter.waits() ? Step.WAIT : Step.AGENT;
  }

  /** Call it under the mutex. An attempt that does not wait is not refused by what goes back. */
  private Step queue(Waiter waiter) {
    RuntimeException failing = trouble;
    if (!waiter.waits() && phase == Phase.RELEASING && waiters.isEmpty()) {
      waiter.awaitsAnswer(store.now() + commandTimeout());
      waiters.add(waiter);
      return Step.WAIT;
    }
    if (!waiter.waits() && failing != null) {
      throw Failures.ofOther(keys, failing);
    }
    if (!waiter.waits()) {
      return Step.REFUSED;
    }
    add(waiter);
    return Step.WAIT;
  }

  private void add(Waiter waiter) {
    if (waiter.waits()) {
      waiter.begins(); // it stays shown when it is the agent
    }
    waiters.add(waiter);
  }

  /** Waits for the other threads of this service. Returns what the thread does next. */
  Step await(Waiter waiter) throws InterruptedException {
    while (true) {
      mutex.lock();
      try {
        if (agent == waiter) {
          return Step.AGENT;
        }
        if (takeOver(waiter)) {
          waiters.remove(waiter);
          return Step.ACQUIRED;
        }
        if (waiter.isInterrupted() || waiter.isOver(store.now()) || !store.takesWork()) {
          waiters.remove(waiter);
          break;
        }
        waiter.hasLooked();
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
    RuntimeException why = trouble;
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
        giveBack(handedOff, commandTimeout());
      }
    } finally {
      store.phase().released();
    }
  }

  /** Wakes the thread that may take over the hold that was handed off, or ends that hold. */
  private @Nullable Acquisition endHandedOff() {
    mutex.lock();
    try {
      return phase == Phase.HELD && hold == null ? stayOrEnd(store.now()) : null;
    } finally {
      mutex.unlock();
    }
  }

  private long commandTimeout() {
    return store.options().commandTimeout().toNanos();
  }

  private void giveBack(Acquisition unused, long patience) {
    try {
      parts.releases().giveUp(unused, patience);
    } finally {
      goOn();
    }
  }

  /**
   * Takes the hold over that was handed off or retained. Returns false if the waiter cannot have
   * one.
   */
  private boolean takeOver(Waiter waiter) {
    Acquisition held = acquisition;
    boolean handedOff = phase == Phase.HELD && hold == null;
    if (held == null
        || !(handedOff || phase == Phase.RETAINED)
        || !waiter.lease().mayBeHandedOff()) {
      return false;
    }
    long now = store.now();
    if (handedOff ? !held.lease().isValid(now) : !stay.mayRetain(held, now)) {
      return false;
    }
    phase = Phase.HELD;
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
    Acquisition begun = home.newAcquisition(this, waiter);
    acquisition = begun;
    stay.expects();
    return begun;
  }

  /**
   * The store answered that the agent's acquisition holds the lock.
   *
   * @param epoch of the mailbox, from before the command was sent
   * @param alone whether nobody held it, waited for it or was remembered
   * @return {@code TOO_LATE} also if the service is closed; then the acquisition is no longer this
   *     gate's
   */
  Taking granted(Waiter waiter, Acquisition held, long sentAt, int epoch, boolean alone) {
    mutex.lock();
    try {
      long now = store.now();
      Taking taking = store.takesWork() ? take(waiter, held, sentAt, now) : Taking.TOO_LATE;
      if (taking == Taking.TOO_LATE) {
        acquisition = null;
      } else if (taking == Taking.HELD && held.grant() instanceof ReadGate.Share) {
        acquisition = null;
        appointNext();
      } else if (taking == Taking.HELD) {
        phase = Phase.HELD;
        agent = null;
        stay.begins(alone && isHeard(held) && parts.mailbox().hearsSince(epoch));
        begin(waiter, held, now, held.lease().token(), false);
      }
      return taking;
    } finally {
      mutex.unlock();
    }
  }

  private Taking take(Waiter waiter, Acquisition held, long sentAt, long now) {
    return held.grant() instanceof ReadGate.Share share
        ? share.take(waiter, held, sentAt, now)
        : held.take(waiter.lease(), sentAt, now, store.longestHold());
  }

  /** Whether the store asks for it by messages, and no command of it may still change that. */
  private static boolean isHeard(Acquisition held) {
    return Mark.isHeard(held.id()) && !held.mayArriveLate();
  }

  /** The threads that wait here or in the store's queue. */
  List<Waiter> waiting() {
    mutex.lock();
    try {
      List<Waiter> all = new ArrayList<>(waiters);
      all.removeIf(each -> !each.waits());
      Waiter asking = agent;
      if (asking != null && asking.isShown()) {
        all.add(0, asking);
      }
      return all;
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
   * The agent has heard of its last command.
   *
   * @param failure why it failed; null if it did not
   * @param unansweredSince since when no answer comes, also to earlier agents; null if this one
   *     came
   */
  void heard(@Nullable RuntimeException failure, @Nullable Long unansweredSince) {
    trouble = unansweredSince == null ? null : failure;
    troubleSince = unansweredSince;
  }

  /** Since when no answer comes to the commands of agents; null if the last one got one. */
  @Nullable Long failingSince() {
    return troubleSince;
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
   * @return the acquisition that was handed off or retained, and not yet taken over, now ended; the
   *     caller gives it back
   */
  @Nullable Acquisition turnAway() {
    mutex.lock();
    try {
      wake();
      waiters.forEach(waiter -> waiter.unpark(store.time()));
      boolean unused = hold == null && (phase == Phase.HELD || phase == Phase.RETAINED);
      Acquisition ended = unused ? stayOrEnd(store.now()) : null;
      if (ended != null) {
        appointNext();
      }
      return ended;
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
  public boolean exit(Hold own, long now) {
    Acquisition toRelease;
    boolean retained;
    mutex.lock();
    try {
      if (hold != own) {
        return false;
      }
      hold = null;
      toRelease = stayOrEnd(now);
      retained = phase == Phase.RETAINED;
      if (toRelease == null) {
        parts.events().attempts().leaves(own, now);
      }
    } finally {
      mutex.unlock();
    }
    if (retained) {
      LockLog.retained(own, now);
      return true;
    }
    if (toRelease == null) {
      LockLog.handedOff(own, now);
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
   * retains it for a thread to come, or ends it.
   *
   * @return the acquisition that the caller must now release; null if there is none
   */
  private @Nullable Acquisition stayOrEnd(long now) {
    Acquisition held = acquisition;
    Waiter next = waiters.peek();
    if (held == null) {
      return null;
    }
    if (next != null && stay.mayHandOff(held, keys.kind(), next, now)) {
      lies(held, true, now);
      next.wakeToLook(store.time());
      return null;
    }
    if (next == null && stay.mayRetain(held, now) && stay.retain()) {
      phase = Phase.RETAINED;
      lies(held, false, now);
      return null;
    }
    return end(held);
  }

  private @Nullable Acquisition end(Acquisition held) {
    if (!held.lease().end(LeaseState.RELEASED)) {
      return null;
    }
    store.departures().begins(held, keys);
    phase = Phase.RELEASING;
    acquisition = null;
    liesNoMore();
    return held;
  }

  // A hold that no thread uses

  /**
   * Call it under the mutex, when no thread uses the hold any more. A timer that is set stays, also
   * while threads use it.
   */
  private void lies(Acquisition held, boolean handedOff, long now) {
    if (timer == null) {
      Duration left = Duration.ofNanos(stay.untilLook(held, handedOff, now));
      timer = store.time().schedule(() -> timeIsOver(held), left);
    }
  }

  /** Call it under the mutex, when the acquisition has ended. */
  private void liesNoMore() {
    stay.endRetaining();
    closeTimer();
  }

  private void closeTimer() {
    Timer pending = timer;
    if (pending != null) {
      pending.close();
      timer = null;
    }
  }

  private void timeIsOver(Acquisition held) {
    boolean unused = giveBackLater(endOverdue(held, () -> {}), () -> {});
  }

  @Override
  public void wanted(Acquisition held) {
    boolean unused = giveBackLater(endOverdue(held, this::isWanted), () -> {});
  }

  @Override
  public void missedMessages() {
    boolean unused = giveBackLater(endOverdue(null, stay::missedMessages), () -> {});
  }

  /**
   * A request that cannot take over what is here wants the lock. Gives it back in the background if
   * it is unused, and runs the task when the store has answered, or has not.
   *
   * @return whether it was unused; if not, the task does not run
   */
  boolean makeRoom(Runnable then) {
    return giveBackLater(endOverdue(null, this::isWanted), then);
  }

  /** As {@link #makeRoom(Runnable)}, but waits until the store has answered, or has not. */
  void makeRoom() {
    Acquisition unwanted = endOverdue(null, this::isWanted);
    if (unwanted != null) {
      Trampoline.step(() -> giveBackEnded(unwanted, commandTimeout()));
    }
  }

  private void isWanted() {
    stay.wanted(store.now());
  }

  /** One step: a callback that the answer brings runs when the gate has gone on. */
  private boolean giveBackLater(@Nullable Acquisition unwanted, Runnable then) {
    if (unwanted == null) {
      return false;
    }
    Runnable answered =
        () -> {
          goOn();
          then.run();
        };
    try {
      Trampoline.step(() -> parts.releases().giveBack(unwanted, answered));
      return true;
    } finally {
      store.phase().released();
    }
  }

  private void giveBackEnded(Acquisition unwanted, long patience) {
    try {
      giveBack(unwanted, patience);
    } finally {
      store.phase().released();
    }
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
      boolean handedOff = phase == Phase.HELD && hold == null;
      if (held == null || !(handedOff || phase == Phase.RETAINED)) {
        return null;
      }
      long now = store.now();
      if (stay.left(held, handedOff, now) > 0) {
        lies(held, handedOff, now);
        return null;
      }
      return endUnused(held);
    } finally {
      mutex.unlock();
    }
  }

  /**
   * Call it under the mutex. Ends the hold that is retained, or that was handed off to a thread
   * that is giving up; returns null if there is none.
   */
  private @Nullable Acquisition endUnused() {
    Acquisition held = acquisition;
    boolean left = phase == Phase.HELD && hold == null && waiters.isEmpty();
    return held != null && (left || phase == Phase.RETAINED) ? endUnused(held) : null;
  }

  /** The caller gives it back, and then counts it as released in the phase of the service. */
  private @Nullable Acquisition endUnused(Acquisition held) {
    boolean unused = store.phase().releasing();
    return end(held);
  }

  @Override
  public boolean retains(Acquisition held) {
    mutex.lock();
    try {
      return phase == Phase.RETAINED && acquisition == held;
    } finally {
      mutex.unlock();
    }
  }

  // Releasing

  /** Callbacks of the reply run after the gate has moved on. */
  private boolean release(Acquisition ended) {
    return Trampoline.step(() -> releaseAndAppoint(ended));
  }

  private boolean releaseAndAppoint(Acquisition ended) {
    try {
      return parts.releases().release(ended);
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
    return current.holder();
  }

  /** Marks the holder's thread in {@link LostHolds}, and makes the next waiter the agent. */
  @Override
  public boolean lose(Acquisition held, Loss why) {
    Hold lost;
    boolean retained;
    mutex.lock();
    try {
      if (!held.lease().lose(why)) {
        return false;
      }
      retained = phase == Phase.RETAINED;
      liesNoMore();
      lost = hold;
      if (lost != null) {
        parts.lostHolds().add(lost);
      }
      hold = null;
      acquisition = null;
      appointNext();
    } finally {
      mutex.unlock();
    }
    if (retained) {
      parts.releases().lostUnused(held, why);
    } else {
      parts.releases().lost(held, lost == null ? List.of() : List.of(lost), why);
    }
    return true;
  }

  @Override
  public String toString() {
    return "Gate[" + keys.name() + ", " + phase + ", " + waiters.size() + " waiting]";
  }
}
