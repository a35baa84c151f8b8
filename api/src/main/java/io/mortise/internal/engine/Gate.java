package io.mortise.internal.engine;

import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.wire.AcquisitionId.Mark;
import io.mortise.internal.wire.LockKeys;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of one lock name in a service. The threads of the service queue here, and one of them
 * at a time, the agent, deals with the store. What it gets is the {@link ThreadGrant}. A thread
 * that wants a fair lock has a gate of its own, so it queues in the store.
 */
final class Gate implements Acquisition.Asker, ThreadGrant.Queue {
  /* Overview
   *
   * The gate owns at most one acquisition in the store. Its grant has the states of what is held,
   * and this class has those that wait for it:
   *
   *   acquiring  one thread, the agent, talks to the store for the acquisition
   *   waiting    the grant has the lock, or gives it back
   *   retired    no thread is at the gate and the grant has nothing; it has left the map of Gates
   *              for good
   *
   * A new gate is acquiring with its creator as the agent, so an unused lock has no gate at all.
   * Every transition is one critical section under `mutex`, which the grant uses too. Nothing blocks
   * in it, and no command is sent. The transitions:
   *
   *   acquiring  HELD reply before the deadline, or a grant    waiting; the agent is the holder
   *              in another reply or in a message, which the
   *              agent reads
   *   acquiring  the same, of a reader that may share what it  retired; the ReadGate has what is
   *              gets                                          held
   *   acquiring  HELD reply too late; the id was withdrawn     the same agent, a new acquisition
   *              before its command ran; or revoked before it
   *              was taken
   *   acquiring  agent gives up, others wait                   the first becomes agent of the same
   *                                                            acquisition, without a command
   *   acquiring  agent gives up, nobody waits                  retired; the acquisition is withdrawn
   *   waiting    the grant has nothing any more                acquiring, the first waiter is the
   *                                                            agent; or retired
   *
   * An attempt that does not wait is not refused by a hold that goes back. While it does, the
   * attempt is the first waiter, and then the agent. If a thread waits already, it is refused, as it
   * may not overtake that one. In the same way it waits for the answer to an agent that asks for
   * other locks too: another lock may be the reason for a refusal of that one.
   *
   * Invariant:
   *   (G3) A thread that leaves the gate without a hold leaves an agent, a woken waiter, a
   *        releasing thread, or no thread at all.
   */
  /** The gates of the service. */
  interface Home {
    /** A new acquisition of a gate. */
    Acquisition newAcquisition(Gate gate, Waiter waiter);

    /** No thread is at the gate any more. */
    void retire(Gate gate);
  }

  /** Commands of agents get no answer. */
  private record Trouble(RuntimeException failure, long since) {}

  /** The waiters of most gates. It stays empty. */
  private static final Deque<Waiter> NOBODY = new ArrayDeque<>(0);

  private final Parts parts;
  private final Home home;
  private final LockKeys keys;
  private final String place;
  private final ReentrantLock mutex = new ReentrantLock();
  private Deque<Waiter> waiters = NOBODY;
  private final ThreadGrant grant;
  private volatile @Nullable Waiter agent;
  private volatile @Nullable Trouble trouble;

  /**
   * @param retained how many holds of the service are retained
   */
  Gate(Parts parts, Home home, AtomicInteger retained, LockKeys keys, Waiter creator) {
    this.parts = parts;
    this.home = home;
    this.keys = keys;
    place = keys.gate(creator.thread().getId());
    agent = creator;
    grant = new ThreadGrant(parts, this, mutex, retained);
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
    return parts.store();
  }

  /** What it has from the store for its threads. */
  ThreadGrant grant() {
    return grant;
  }

  /** A thread comes. Returns what it does next. */
  Step arrive(Waiter waiter) {
    Acquisition unwanted;
    mutex.lock();
    try {
      if (agent == waiter) {
        return Step.AGENT;
      }
      if (agent == null && grant.isNone()) {
        return Step.RETIRED;
      }
      if (waiter.isTogether()) {
        return Step.REFUSED; // it may take no lock out of order
      }
      if (grant.takeOver(waiter)) {
        return Step.ACQUIRED;
      }
      unwanted = grant.endUnused();
      if (unwanted == null) {
        return queue(waiter);
      }
      add(waiter); // the only one, so it is the agent when that is given back
    } finally {
      mutex.unlock();
    }
    giveBack(unwanted, waiter.patience(commandTimeout(), store().now()));
    return waiter.waits() ? Step.WAIT : Step.AGENT;
  }

  /** Call it under the mutex. Some attempts wait for an answer, though they do not wait. */
  private Step queue(Waiter waiter) {
    if (!waiter.waits()) {
      if (!waiters.isEmpty() || !(grant.isGoing() || asksTogether())) {
        return refused();
      }
      waiter.awaitsAnswer(store().now() + commandTimeout());
    }
    add(waiter);
    return Step.WAIT;
  }

  private boolean asksTogether() {
    Waiter asking = agent;
    return asking != null && asking.isTogether();
  }

  @SuppressWarnings("ReferenceEquality")
  private void add(Waiter waiter) {
    if (waiter.waits()) {
      waiter.begins(); // it stays shown when it is the agent
    }
    waiters = waiters == NOBODY ? new ArrayDeque<>() : waiters;
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
        if (grant.takeOver(waiter)) {
          waiters.remove(waiter);
          return Step.ACQUIRED;
        }
        boolean refused = !waiter.waits() && grant.hold() != null;
        boolean ends = waiter.isInterrupted() || waiter.isOver(store().now());
        if (refused || ends || !store().takesWork()) {
          waiters.remove(waiter);
          break;
        }
        waiter.hasLooked();
      } finally {
        mutex.unlock();
      }
      waiter.park(store().time(), this);
    }
    return giveUp(waiter);
  }

  /** The waiter is out of the queue and did not get the lock: wakes the next one. */
  private Step giveUp(Waiter waiter) throws InterruptedException {
    Trampoline.step(this::giveBackHandedOff);
    store().checkOpen(keys);
    waiter.checkInterrupt();
    return refused();
  }

  /** It fails by what the commands of agents fail with, if they do. */
  private Step refused() {
    Trouble failing = trouble;
    if (failing != null) {
      throw Failures.ofOther(keys, failing.failure());
    }
    return Step.REFUSED;
  }

  private void giveBackHandedOff() {
    boolean unused = store().phase().releasing();
    Acquisition left = null;
    try {
      left = grant.endHandedOff();
    } finally {
      if (left == null) {
        store().phase().released();
      }
    }
    if (left != null) {
      giveBack(left, commandTimeout());
    }
  }

  /** A thread of another gate wants the lock: gives back what is unused, and waits for that. */
  void makeRoom() {
    Acquisition unwanted = grant.endUnwanted();
    if (unwanted != null) {
      giveBack(unwanted, commandTimeout());
    }
  }

  private void giveBack(Acquisition unused, long patience) {
    parts.releases().giveUpFrom(this, unused, patience);
  }

  private long commandTimeout() {
    return store().options().commandTimeout().toNanos();
  }

  // The agent's side

  /** The acquisition that the agent deals with; a new one if there is none. */
  Acquisition acquisitionFor(Waiter waiter) {
    mutex.lock();
    try {
      Acquisition current = grant.acquisition();
      return current == null ? begin(waiter) : current;
    } finally {
      mutex.unlock();
    }
  }

  private Acquisition begin(Waiter waiter) {
    return grant.expects(home.newAcquisition(this, waiter));
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
      long now = store().now();
      Taking taking = store().takesWork() ? take(waiter, held, sentAt, now) : Taking.TOO_LATE;
      if (taking == Taking.TOO_LATE) {
        grant.forget();
      } else if (taking == Taking.HELD && held.grant() instanceof Share) {
        grant.forget();
        goOn();
      } else if (taking == Taking.HELD) {
        grant.begins(
            waiter, held, now, alone && isHeard(held) && parts.mailbox().hearsSince(epoch));
        agent = null; // not before: after an Error the agent resigns
        Waiter next = waiters.peek();
        if (next != null && !next.waits()) {
          next.unpark(store().time()); // it has waited for this answer, and is refused
        }
      }
      return taking;
    } finally {
      mutex.unlock();
    }
  }

  private Taking take(Waiter waiter, Acquisition held, long sentAt, long now) {
    return held.grant() instanceof Share share
        ? share.take(waiter, held, sentAt, now)
        : held.take(waiter.lease(), sentAt, now, store().longestHold());
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
    trouble =
        failure != null && unansweredSince != null ? new Trouble(failure, unansweredSince) : null;
  }

  /** Since when no answer comes to the commands of agents; null if the last one got one. */
  @Nullable Long failingSince() {
    Trouble failing = trouble;
    return failing == null ? null : failing.since();
  }

  /**
   * A thread leaves without the lock. If it is the agent, the first local waiter takes over the
   * acquisition and its place in the queue. One asked for together with others has no place there.
   *
   * @return the acquisition, if the agent leaves and no waiter takes it over
   */
  @Nullable Acquisition resign(Waiter leaving) {
    mutex.lock();
    try {
      if (agent != leaving) {
        waiters.remove(leaving);
        return null;
      }
      Acquisition orphan = waiters.isEmpty() || asksTogether() ? grant.acquisition() : null;
      if (orphan != null) {
        grant.forget();
      }
      goOn();
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
      now.unpark(store().time());
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
      waiters.forEach(waiter -> waiter.unpark(store().time()));
      Acquisition ended = grant.turnAway();
      if (ended != null) {
        grant.gone();
        goOn();
      }
      return ended;
    } finally {
      mutex.unlock();
    }
  }

  // The grant's side

  @Override
  public @Nullable Waiter first() {
    return waiters.peek();
  }

  /** {@inheritDoc} There is neither a hold nor an agent. */
  @Override
  public void goOn() {
    Waiter next = waiters.poll();
    agent = next;
    if (next == null) {
      home.retire(this);
    } else {
      next.unpark(store().time());
    }
  }

  @Override
  public void gone() {
    mutex.lock();
    try {
      grant.gone();
      goOn();
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public String toString() {
    return "Gate[%s, %s, %s, %d waiting]"
        .formatted(keys.text(), agent == null ? "no agent" : "acquiring", grant, waiters.size());
  }
}
