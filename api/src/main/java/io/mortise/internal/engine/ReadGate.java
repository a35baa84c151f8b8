package io.mortise.internal.engine;

import io.mortise.internal.engine.GateRule.Window;
import io.mortise.internal.wire.LockKeys;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of the readers of one read/write lock in a service. What one of them gets from the
 * store is shared with the threads that come soon after, without a command. Each thread asks the
 * store at a {@link Gate} of its own.
 */
final class ReadGate implements Share.Home {
  /* Overview
   *
   * A thread that wants to read is in one of these places:
   *
   *   asking        its first command is out. One thread at a time is meant by this, and the others
   *                 that come meanwhile wait for the answer to its command
   *   in the line   it waits for that answer
   *   at the store  it asks by itself, and may wait in the store's queue
   *   inside        it holds the lock, by a share
   *
   * What moves it:
   *
   *   it comes              inside if a share is open. Else into the line if a thread is asking and
   *                         it may wait. Else it asks
   *   the command is        HELD: the thread is inside, and its share opens. All in the line are
   *   answered, or fails    inside too. Any other answer: all in the line ask, each for itself
   *   a thread at the       it is inside, and its share opens, or not (see below)
   *   store is granted
   *   it unlocks            the last that leaves a share gives it back to the store
   *   it does not wake      when the share closes by time, it is not inside any more, and comes
   *                         again. If nobody else is inside, the share goes back
   *   the lease is lost     all that are inside are marked in LostHolds
   *
   * A share is one acquisition with all threads that hold by it, see there. A thread that comes when
   * none is open asks the store, and queues there behind a writer that waits.
   *
   * A share opens if a Window may begin with its acquisition. So a waiting writer of another process
   * waits for HAND_OFF_TIME and one section longer at most.
   *
   * Invariant:
   *   (J2) While a thread is in the line, another is asking. That one leaves the line alone only
   *        after it has ended or has its first answer, and then wakes all in it.
   *
   * Order of monitors: a Gate, this gate, an acquisition, a lease, its events. No command is sent.
   */
  /** The gates of the readers of the service. */
  interface Home {
    /** Whether a thread of this service waits to write. */
    boolean writerWaits(LockKeys keys);

    /** No thread is at the gate any more. */
    void retire(ReadGate gate);
  }

  private final Parts parts;
  private final Home home;
  private final Store store;
  private final LockKeys keys;
  private final ReentrantLock mutex = new ReentrantLock();

  /** The holds of all shares, by the id of their thread. Each thread has one at most. */
  private final Map<Long, Hold> holds = new ConcurrentHashMap<>();

  private final Set<Waiter> line = new LinkedHashSet<>();
  private @Nullable Waiter asking;

  /** The newest share, if threads may join it. */
  private @Nullable Share open;

  private final Window window;

  /**
   * The threads that neither hold by another's command nor have given up, and since when each has
   * asked the store, or might have.
   */
  private final Map<Waiter, Long> attempts = new HashMap<>();

  private boolean retired;

  ReadGate(Parts parts, Home home, LockKeys keys) {
    this.parts = parts;
    this.home = home;
    this.keys = keys;
    store = parts.store();
    window = new Window(store.now());
  }

  LockKeys keys() {
    return keys;
  }

  /** The hold of a thread; null if it has none. */
  @Nullable Hold hold(long threadId) {
    return holds.get(threadId);
  }

  Collection<Hold> holds() {
    return holds.values();
  }

  /**
   * A thread comes that does not hold the lock. Returns what it does next. Unless it has the lock
   * or this gate is gone, it calls {@link #ended} at last.
   */
  Step arrive(Waiter waiter) {
    mutex.lock();
    try {
      if (retired) {
        return Step.RETIRED;
      }
      long now = store.now();
      Share share = open;
      if (share != null && share.join(waiter, now) != null) {
        return Step.ACQUIRED;
      }
      attempts.put(waiter, now);
      if (asking != null && waiter.waits()) {
        line.add(waiter);
        return Step.WAIT;
      }
      if (asking == null) {
        asking = waiter;
      }
      return Step.AGENT;
    } finally {
      mutex.unlock();
    }
  }

  /** Waits in the line. Returns what the thread does next. */
  Step await(Waiter waiter) throws InterruptedException {
    while (true) {
      mutex.lock();
      try {
        long now = store.now();
        if (waiter.hold() != null) {
          break;
        }
        if (!line.contains(waiter)) {
          attempts.put(waiter, now);
          return Step.AGENT;
        }
        if (waiter.isInterrupted() || waiter.isOver(now) || !store.takesWork()) {
          line.remove(waiter);
          store.checkOpen(keys);
          waiter.checkInterrupt();
          return Step.REFUSED;
        }
      } finally {
        mutex.unlock();
      }
      waiter.park(store.time(), this);
    }
    return entered(waiter);
  }

  /** The thread got its hold while it slept. A hold that was lost meanwhile is none (J3). */
  private static Step entered(Waiter waiter) {
    Hold hold = waiter.hold();
    if (hold != null && hold.acquisition().grant() instanceof Share share && share.confirms(hold)) {
      return Step.ACQUIRED;
    }
    waiter.entersNot();
    return Step.RETIRED;
  }

  /** The first command of a thread was answered, and it waits: those in the line ask themselves. */
  void answered(Waiter waiter) {
    mutex.lock();
    try {
      stopAsking(waiter);
    } finally {
      mutex.unlock();
    }
  }

  private void stopAsking(Waiter waiter) {
    if (asking == waiter) {
      asking = null;
      line.forEach(each -> each.unpark(store.time()));
      line.clear();
    }
  }

  /** A thread has the lock, or has given up. */
  void ended(Waiter waiter) {
    mutex.lock();
    try {
      attempts.remove(waiter);
      stopAsking(waiter);
      retireIfIdle();
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public void retireIfIdle() {
    if (attempts.isEmpty() && holds.isEmpty()) {
      retired = true;
      home.retire(this);
    }
  }

  /** The service takes no more work: those in the line notice. */
  void turnAway() {
    mutex.lock();
    try {
      line.forEach(each -> each.unpark(store.time()));
    } finally {
      mutex.unlock();
    }
  }

  /** Nobody joins what is held now. */
  void stopSharing() {
    mutex.lock();
    try {
      open = null;
    } finally {
      mutex.unlock();
    }
  }

  /** The share of a new acquisition; null if the thread does not share. */
  @Nullable Share newShare(Waiter waiter) {
    mutex.lock();
    try {
      Long askedAt = attempts.get(waiter);
      return askedAt == null ? null : new Share(parts, this, mutex, askedAt);
    } finally {
      mutex.unlock();
    }
  }

  // The share's side

  @Override
  public void took(Share share, Waiter waiter, boolean atOnce, long now) {
    if (window.mayBegin(atOnce, share.askedAt()) && !home.writerWaits(keys)) {
      open = share;
      share.opens(window.begin(now));
      for (Waiter next : List.copyOf(line)) {
        if (!share.letIn(next, now)) {
          break;
        }
        line.remove(next);
      }
    }
    stopAsking(waiter);
  }

  @Override
  public void closes(Share share) {
    if (open == share) {
      open = null;
    }
  }

  @Override
  public void enters(Hold hold) {
    holds.put(hold.thread().getId(), hold);
  }

  @Override
  public void leaves(Hold hold) {
    holds.remove(hold.thread().getId(), hold);
  }

  @Override
  public String toString() {
    return "ReadGate[" + keys.text() + ", " + holds.size() + " inside]";
  }
}
