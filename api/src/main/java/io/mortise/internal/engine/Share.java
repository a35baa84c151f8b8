package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.engine.Acquisition.Taking;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.told.HoldEvents;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.TimeSource.Timer;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link ReadGate} has from the store: one acquisition, and the threads that hold by it. The
 * gate has those that wait. Both use one mutex.
 */
final class Share implements Acquisition.Grant, Hold.Place {
  /* Overview
   *
   * A share is asked for, then used by one thread or more, and ends when the last of them leaves or
   * the lease is lost. It is open for HAND_OFF_TIME after it came from the store. It closes before
   * when a writer of this service waits, when one of its readers wants to upgrade, or when its last
   * reader leaves. A closed share never opens again, so it ends with the sections of its readers.
   *
   * A thread that slept gets its hold while it sleeps, and is woken for it. If it has not woken in
   * HAND_OFF_TIME, it is not inside any more. So a share is never free: somebody uses it, or it goes
   * back.
   *
   * Invariants:
   *   (J1) A thread gets a hold of a share under the mutex, while the lease is held and its deadline
   *        has not passed. The share has it in `inside` then, so it goes back to the store after
   *        that thread has left, and a loss marks it.
   *   (J3) A hold that was over before its thread knew of it was never its hold: the thread comes
   *        again. It is over if its lease is, or if the thread did not wake in HAND_OFF_TIME. So no
   *        share is kept for a thread that was woken and does not run.
   *
   * Order of monitors: a Gate, the ReadGate, an acquisition, a lease, its events. No command is
   * sent.
   */
  /** The gate of the readers. All is called under the mutex. */
  interface Home {
    /**
     * A thread has what it has asked for. The share may open, and others may get in.
     *
     * @param atOnce whether it came without a wait in the queue
     */
    void took(Share share, Waiter waiter, boolean atOnce, long now);

    /** Nobody joins that share any more. */
    void closes(Share share);

    void enters(Hold hold);

    void leaves(Hold hold);

    void retireIfIdle();
  }

  private static final Logger log = LoggerFactory.getLogger(Share.class);

  private final Parts parts;
  private final Home home;
  private final ReentrantLock mutex;
  private final long askedAt;

  /** Its holds, the oldest first. After its end, those that it had then. */
  private final Set<Hold> inside = new LinkedHashSet<>(4);

  /** Those of its holds whose threads have not woken since it began. */
  private final Set<Hold> unaware = new HashSet<>(4);

  private @Nullable Acquisition acquisition;
  private long end;
  private int joined;
  private boolean ended;

  Share(Parts parts, Home home, ReentrantLock mutex, long askedAt) {
    this.parts = parts;
    this.home = home;
    this.mutex = mutex;
    this.askedAt = askedAt;
  }

  private Store store() {
    return parts.store();
  }

  /** Since when the thread that asked for it has its place in the queue, or might have. */
  long askedAt() {
    return askedAt;
  }

  /** As {@link Acquisition#take}, for the thread that has asked. Then the share may open. */
  Taking take(Waiter waiter, Acquisition held, long sentAt, long now) {
    mutex.lock();
    try {
      Taking taking = held.take(waiter.lease(), sentAt, now, store().longestHold());
      if (taking == Taking.HELD) {
        acquisition = held;
        Hold first = new Hold(this, waiter.thread(), held, now, 0);
        parts.events().attempts().begins(first, waiter, false);
        enter(first, waiter);
        home.took(this, waiter, held.place().isAtOnce(), now);
      }
      return taking;
    } finally {
      mutex.unlock();
    }
  }

  /** Call it under the mutex. Threads may join it until that time. */
  void opens(long until) {
    end = until;
  }

  /**
   * Call it under the mutex. A thread holds by it that sleeps and is woken for it.
   *
   * @return whether it may join
   */
  boolean letIn(Waiter sleeping, long now) {
    boolean timed = !unaware.isEmpty() || (mayJoin(now) && setTimer());
    Hold begun = timed ? join(sleeping, now) : null;
    if (begun == null) {
      return false;
    }
    unaware.add(begun);
    sleeping.unpark(store().time());
    return true;
  }

  /** Without it, a thread that does not wake would be inside for ever. */
  private boolean setTimer() {
    try {
      Timer unused = store().time().schedule(this::timeIsOver, ServiceOptions.HAND_OFF_TIME);
      return true;
    } catch (Throwable e) { // an Error too: the thread that asked has the lock
      log.warn("others ask by themselves, as no timer can be set", e);
      return false;
    }
  }

  /** Threads that have not woken in time are not inside any more. */
  private void timeIsOver() {
    boolean unused = store().phase().releasing();
    try {
      Acquisition left = withoutUnaware();
      if (left != null) {
        parts.releases().giveBack(left, () -> {});
      }
    } finally {
      store().phase().released();
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
      unaware.forEach(home::leaves);
      inside.removeAll(unaware);
      unaware.clear();
      if (!inside.isEmpty() || !held.lease().end(LeaseState.RELEASED)) {
        return null;
      }
      store().departures().begins(held, held.keys());
      end();
      home.retireIfIdle();
      return held;
    } finally {
      mutex.unlock();
    }
  }

  /** Call it under the mutex. One more thread holds by it. Returns its hold; null if it may not. */
  @Nullable Hold join(Waiter waiter, long now) {
    Acquisition held = acquisition;
    if (held == null || !mayJoin(now)) {
      return null;
    }
    joined++;
    Hold begun = new Hold(this, waiter.thread(), held, now, 0);
    parts.events().attempts().joins(begun, waiter);
    enter(begun, waiter);
    return begun;
  }

  private boolean mayJoin(long now) {
    return acquisition != null
        && now - end < 0
        && GateRule.mayPassOnAgain(store(), LockKind.READ, joined)
        && GateRule.isSafe(store(), acquisition.lease(), now);
  }

  private void enter(Hold begun, Waiter waiter) {
    inside.add(begun);
    home.enters(begun);
    waiter.enters(begun);
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
      home.closes(this);
      return !ended && inside.size() == 1 && inside.contains(own);
    } finally {
      mutex.unlock();
    }
  }

  @Override
  public Pending exit(Hold own, long now, Store.Sender sender) {
    Acquisition held = own.acquisition();
    boolean last;
    boolean closed = store().isClosed();
    mutex.lock();
    try {
      if (ended || !inside.contains(own)) {
        return () -> false;
      }
      last = inside.size() == 1;
      if (last && !held.lease().end(LeaseState.RELEASED)) {
        return () -> false;
      }
      if (last) {
        end();
      } else {
        inside.remove(own);
      }
      if (!last && !closed) {
        parts.events().attempts().leaves(own, now);
      }
      home.leaves(own);
      home.retireIfIdle();
    } finally {
      mutex.unlock();
    }
    if (last) {
      return parts.releases().releaseFrom(() -> {}, own, sender);
    }
    if (closed) {
      throw parts.releases().leftWhenClosed(own);
    }
    left(own, held, now);
    return () -> true;
  }

  private void end() {
    ended = true;
    home.closes(this);
  }

  /** Others are still inside. */
  private void left(Hold own, Acquisition held, long now) {
    long rest = held.lease().rest(now);
    if (rest > held.lease().remaining(now)) {
      keep(held, rest, now);
    }
    LockLog.handedOff(own, now);
  }

  /** The lock must not be free for so long (ns), also if this process ends before. */
  private void keep(Acquisition held, long rest, long now) {
    try {
      boolean unused = parts.keeper().ensureLease(held, LeaseTerms.lasting(rest), now);
    } catch (RuntimeException e) { // whatever it is, the thread has left
      log.warn("{}: it may be free before its time: {}", held.keys().text(), e.getMessage());
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
      inside.forEach(home::leaves);
      home.retireIfIdle();
    } finally {
      mutex.unlock();
    }
    parts.releases().lost(held, lost, why);
    return true;
  }

  /** A thread learns of its hold. Returns false if the hold is over, and was none (J3). */
  boolean confirms(Hold hold) {
    Acquisition held = hold.acquisition();
    mutex.lock();
    try {
      boolean inTime = unaware.contains(hold);
      if (!inTime || (!ended && held.lease().isValid(store().now()))) {
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
    return "Share[" + inside.size() + " inside]";
  }
}
