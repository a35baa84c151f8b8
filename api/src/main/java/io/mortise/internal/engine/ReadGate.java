package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.LockException;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.engine.GateRule.Window;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of the readers of one read/write lock in a service. What one of them gets from the
 * store is shared with the threads that come soon after, without a command. Each thread asks the
 * store at a {@link Gate} of its own.
 */
final class ReadGate {
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
   * A share is one acquisition with all threads that hold by it. A share is open for HAND_OFF_TIME
   * after it came from the store. It closes before when a writer of this service waits, when one of
   * its readers wants to upgrade, or when its last reader leaves. A closed share never opens again,
   * so it ends with the sections of its readers. A thread that comes then asks the store, and queues
   * there behind a writer that waits.
   *
   * A share opens if a Window may begin with its acquisition. So a waiting writer of another process
   * waits for HAND_OFF_TIME and one section longer at most.
   *
   * Invariants:
   *   (J1) A thread gets a hold of a share under the mutex, while the lease is held and its deadline
   *        has not passed. The share has it in `inside` then, so it goes back to the store after
   *        that thread has left, and a loss marks it.
   *   (J2) While a thread is in the line, another is asking. That one leaves the line alone only
   *        after it has ended or has its first answer, and then wakes all in it.
   *   (J3) A hold that was over before its thread knew of it was never its hold: the thread comes
   *        again. It is over if its lease is, or if the thread did not wake in HAND_OFF_TIME. So no
   *        share is kept for a thread that was woken and does not run.
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

  private static final Logger log = LoggerFactory.getLogger(ReadGate.class);
  private static final long SHORTEST_LEASE = Duration.ofMillis(10).toNanos();

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

  Iterable<Hold> holds() {
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

  private void retireIfIdle() {
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
      return askedAt == null ? null : new Share(askedAt);
    } finally {
      mutex.unlock();
    }
  }

  /** One acquisition, and the threads that hold by it. */
  final class Share implements Acquisition.Grant, Hold.Place {
    private final long askedAt;

    /** Its holds, the oldest first. After its end, those that it had then. */
    private final Set<Hold> inside = new LinkedHashSet<>(4);

    /** Those of its holds whose threads have not woken since it began. */
    private final Set<Hold> unaware = new HashSet<>(4);

    private @Nullable Acquisition acquisition;
    private long end;
    private int joined;
    private boolean ended;

    private Share(long askedAt) {
      this.askedAt = askedAt;
    }

    /** As {@link Acquisition#take}, for the thread that has asked. Then the share may open. */
    Taking take(Waiter waiter, Acquisition held, long sentAt, long now) {
      mutex.lock();
      try {
        Taking taking = held.take(waiter.lease(), sentAt, now, store.longestHold());
        if (taking == Taking.HELD) {
          acquisition = held;
          Hold first = new Hold(this, waiter.thread(), held, now, 0);
          parts.events().attempts().begins(first, waiter, false);
          enter(first, waiter);
          boolean atOnce = held.ticket().isEmpty() && !held.mayArriveLate();
          if (window.mayBegin(atOnce, askedAt) && !home.writerWaits(keys)) {
            open(now);
          }
          stopAsking(waiter);
        }
        return taking;
      } finally {
        mutex.unlock();
      }
    }

    private void open(long now) {
      open = this;
      end = window.begin(now);
      for (Waiter next : List.copyOf(line)) {
        Hold begun = join(next, now);
        if (begun == null) {
          return;
        }
        line.remove(next);
        if (unaware.isEmpty()) {
          Timer unused = store.time().schedule(this::timeIsOver, ServiceOptions.HAND_OFF_TIME);
        }
        unaware.add(begun);
        next.unpark(store.time());
      }
    }

    /** Threads that have not woken in time are not inside any more. */
    private void timeIsOver() {
      boolean unused = store.phase().releasing();
      try {
        Acquisition left = withoutUnaware();
        if (left != null) {
          parts.releases().giveBack(left, () -> {});
        }
      } finally {
        store.phase().released();
      }
    }

    /** Returns the acquisition, now ended, if nobody is inside then. */
    private @Nullable Acquisition withoutUnaware() {
      mutex.lock();
      try {
        Acquisition held = acquisition;
        if (ended || held == null) {
          return null;
        }
        unaware.forEach(each -> holds.remove(each.thread().getId(), each));
        inside.removeAll(unaware);
        unaware.clear();
        if (!inside.isEmpty() || !held.lease().end(LeaseState.RELEASED)) {
          return null;
        }
        store.departures().begins(held, keys);
        end();
        retireIfIdle();
        return held;
      } finally {
        mutex.unlock();
      }
    }

    /** One more thread holds by it. Returns its hold; null if it may not. */
    private @Nullable Hold join(Waiter waiter, long now) {
      Acquisition held = acquisition;
      if (held == null
          || now - end >= 0
          || !GateRule.mayPassOnAgain(store, LockKind.READ, joined)
          || !GateRule.isSafe(store, held.lease(), now)) {
        return null;
      }
      joined++;
      Hold begun = new Hold(this, waiter.thread(), held, now, 0);
      parts.events().attempts().joins(begun, waiter);
      enter(begun, waiter);
      return begun;
    }

    private void enter(Hold begun, Waiter waiter) {
      inside.add(begun);
      holds.put(begun.thread().getId(), begun);
      waiter.enters(begun);
    }

    /** {@inheritDoc} One that lives, so the lease is renewed for it; else one that has ended. */
    @Override
    public @Nullable Holder holder(Acquisition held) {
      List<Holder> all = holders(held);
      return all.stream()
          .filter(each -> each.gone() == null)
          .findFirst()
          .orElse(all.isEmpty() ? null : all.get(0));
    }

    @Override
    public List<Holder> holders(Acquisition held) {
      mutex.lock();
      try {
        return ended ? List.of() : inside.stream().map(Hold::holder).toList();
      } finally {
        mutex.unlock();
      }
    }

    @Override
    public List<HoldEvents> sharedEvents() {
      mutex.lock();
      try {
        return inside.stream().map(Hold::events).filter(Objects::nonNull).toList();
      } finally {
        mutex.unlock();
      }
    }

    /** {@inheritDoc} From now on nobody joins. */
    @Override
    public boolean isOnly(Hold own) {
      mutex.lock();
      try {
        close();
        return !ended && inside.size() == 1 && inside.contains(own);
      } finally {
        mutex.unlock();
      }
    }

    private void close() {
      if (open == this) {
        open = null;
      }
    }

    @Override
    public boolean exit(Hold own, long now) {
      Acquisition held = own.acquisition();
      boolean last;
      mutex.lock();
      try {
        if (ended || !inside.contains(own)) {
          return false;
        }
        last = inside.size() == 1;
        if (last && !held.lease().end(LeaseState.RELEASED)) {
          return false;
        }
        if (last) {
          end();
        } else {
          inside.remove(own);
          parts.events().attempts().leaves(own, now);
        }
        holds.remove(own.thread().getId(), own);
        retireIfIdle();
      } finally {
        mutex.unlock();
      }
      return last ? release(own, held) : left(own, held, now);
    }

    private void end() {
      ended = true;
      close();
    }

    private boolean release(Hold own, Acquisition held) {
      boolean had = Trampoline.step(() -> parts.releases().release(held));
      if (had) {
        LockLog.released(own, store.now());
      }
      return had;
    }

    /** Others are still inside. */
    private boolean left(Hold own, Acquisition held, long now) {
      if (store.isClosed()) {
        throw parts.releases().heldWhenClosed(held);
      }
      long rest = held.lease().rest(now);
      if (rest > held.lease().remaining(now)) {
        keep(held, rest, now);
      }
      LockLog.handedOff(own, now);
      return true;
    }

    /** The lock must not be free for so long (ns), also if this process ends before. */
    private void keep(Acquisition held, long rest, long now) {
      Duration least = Duration.ofNanos(rest + SHORTEST_LEASE);
      try {
        boolean unused = parts.keeper().ensureLease(held, LeaseTerms.fixed(least), now);
      } catch (LockException e) {
        log.warn("{}: it may be free before its time: {}", keys.text(), e.getMessage());
        log.debug("the lease was not made longer", e);
      }
    }

    /** {@inheritDoc} Marks all threads that hold by it, and know that. */
    @Override
    public boolean lose(Acquisition held, Loss why) {
      List<Hold> lost;
      mutex.lock();
      try {
        if (!held.lease().lose(why)) {
          return false;
        }
        end();
        lost = inside.stream().filter(each -> !unaware.contains(each)).toList();
        lost.forEach(parts.lostHolds()::add);
        inside.forEach(each -> holds.remove(each.thread().getId(), each));
        retireIfIdle();
      } finally {
        mutex.unlock();
      }
      parts.releases().lost(held, lost, why);
      return true;
    }

    /** A thread learns of its hold. Returns false if the hold is over, and was none (J3). */
    private boolean confirms(Hold hold) {
      Acquisition held = hold.acquisition();
      mutex.lock();
      try {
        boolean inTime = unaware.contains(hold);
        if (!inTime || (!ended && held.lease().isValid(store.now()))) {
          return unaware.remove(hold);
        }
      } finally {
        mutex.unlock();
      }
      boolean unused = lose(held, parts.keeper().whyEnded(held));
      return false;
    }

    @Override
    public String toString() {
      return "Share[" + keys.name() + ", " + inside.size() + " inside]";
    }
  }

  @Override
  public String toString() {
    return "ReadGate[" + keys.name() + ", " + holds.size() + " inside]";
  }
}
