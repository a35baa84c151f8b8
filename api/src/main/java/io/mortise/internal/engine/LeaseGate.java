package io.mortise.internal.engine;

import io.mortise.LeaseState;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.ServiceOptions;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The place of one lock or semaphore in a service, for requests that no thread stands for. What a
 * lease gives back goes to a request that waits here, without a command. Thread-safe.
 */
final class LeaseGate {
  /* Overview
   *
   * A request of a service is in one of three places:
   *
   *   at the store   it has asked. It waits in the store's queue by itself, as without a gate
   *   in the line    it has asked nothing yet, and waits here
   *   inside         it has its lease
   *
   * What moves it:
   *
   *   it comes       into the line, if a request of this service is ahead of it in the store's
   *                  queue, and a lease like its own may be passed on. Else to the store
   *   a lease ends   what it had goes to the first in the line that wants the same, if it may be
   *                  passed on. Else it goes back to the store
   *   none is ahead  the first of the line asks, and is then ahead of the others
   *   its time       no lease like its own may be passed on any more: it asks
   *
   * Two leases are alike if they have the same number of permits. All leases of a lock are alike.
   *
   * So a request in the line misses no grant: the store serves in order, and the one ahead of it
   * is served first. It loses at most HAND_OFF_TIME of its place among other processes.
   *
   * Leases are passed on in a time of HAND_OFF_TIME, however often. It begins with an acquisition
   * that did not wait, since the queue was empty then, or with one whose place in the queue is not
   * older than the end of the last such time. (An attempt at a lock may also begin it, if it meets
   * the end of a dead holder's lease before those who wait.) Other leases that come from the store
   * in that time are passed on until its end. So of all places that are ahead of another waiter,
   * those of this service begin that time once at most, and that waiter waits for HAND_OFF_TIME and
   * one section longer at most.
   *
   * A waiter of another process is such a waiter, and so is the agent of the Gate of this name. The
   * two gates pass nothing on to each other, and a hand-off of either begins no time of the other:
   * only an acquisition from the store does. The Gate has one place in the queue at a time. So both
   * together keep a waiter out for the time of each once, and not by turns.
   *
   * Invariants:
   *   (P1) A lease is passed on as one step with the check that it is held. So either it is lost,
   *        and not passed on, or the next holder has it, and is told of a loss.
   *   (P2) While a request is in the line, a request of this service is ahead of it, and a timer
   *        ends its wait here.
   *
   * Order of monitors: this gate, a request, a lease. No command is sent in any of them.
   */
  /** A request, as its gate sees it. The gate calls it in its monitor, but for {@link #wake}. */
  interface Request extends CommandBatcher.Command {
    LockKeys keys();

    /** Waits in the line. Returns what tells listeners of that; null if it has ended. */
    @Nullable Runnable lineUp();

    /** From now on it asks the store. Returns false if it has ended. */
    boolean leaveLine();

    /** Whether it has asked the store, and waits. */
    boolean waitsAtStore();

    /** Takes over what another one gives back. Returns null if it has ended, or that hold has. */
    @Nullable Runnable takeOver(Request from, Acquisition held, long now);

    /** Until when its lease may be passed on. */
    long passableUntil();

    /** How often it was passed on. */
    int passed();

    /** Asks the store. */
    void wake();
  }

  private static final long HAND_OFF = ServiceOptions.HAND_OFF_TIME.toNanos();

  private final Store store;

  /** Those in the line, in the order in which they came. */
  private final Set<Request> line = new LinkedHashSet<>();

  /** Those in the store's queue, and one that was sent there from the line. */
  private final Set<Request> ahead = new HashSet<>(2);

  /** Until when leases may be passed on, by their number of permits. */
  private final Map<Integer, Long> ends = new HashMap<>(2);

  /** The latest of these. */
  private long lastEnd;

  /** The requests that have neither a lease nor an end. */
  private int users;

  private boolean timed;

  LeaseGate(Store store) {
    this.store = store;
    lastEnd = store.now();
  }

  /** A request begins. It will call {@link #over} once. */
  synchronized void enter() {
    users++;
  }

  /** Whether nothing would be lost with it. */
  synchronized boolean isIdle() {
    return users == 0 && store.now() - lastEnd >= 0;
  }

  /**
   * A new request waits in the line, if that may spare it a command.
   *
   * @return tells listeners that it waits; null if it has to ask the store
   */
  synchronized @Nullable Runnable join(Request request) {
    long now = store.now();
    if (ahead.isEmpty() || left(request, now) <= 0) {
      return null;
    }
    Runnable joined = request.lineUp();
    if (joined != null) {
      line.add(request);
      setTimer(left(request, now));
    }
    return joined;
  }

  /** For how long a lease like its own may still be passed on (ns). */
  private long left(Request request, long now) {
    Long end = ends.get(request.keys().permits());
    return end == null ? 0 : end - now;
  }

  /** The store has put the request into its queue. */
  synchronized void queued(Request request) {
    if (request.waitsAtStore()) {
      ahead.add(request);
    }
  }

  /** The request has its lease, or has ended. */
  void over(Request request) {
    Request next;
    synchronized (this) {
      users--;
      line.remove(request);
      ahead.remove(request);
      next = ahead.isEmpty() ? sendFirst() : null;
    }
    if (next != null) {
      next.wake();
    }
  }

  private @Nullable Request sendFirst() {
    for (Iterator<Request> all = line.iterator(); all.hasNext(); ) {
      Request first = all.next();
      all.remove();
      if (first.leaveLine()) {
        ahead.add(first);
        return first;
      }
    }
    return null;
  }

  private void setTimer(long delay) {
    if (!timed) {
      timed = true;
      Timer unused = store.time().schedule(this::timeIsOver, Duration.ofNanos(delay));
    }
  }

  /** Those for which nothing may be passed on any more ask the store. */
  private void timeIsOver() {
    List<Request> asking;
    synchronized (this) {
      timed = false;
      long now = store.now();
      List<Request> leaving = line.stream().filter(each -> left(each, now) <= 0).toList();
      leaving.forEach(line::remove);
      asking = leaving.stream().filter(Request::leaveLine).toList();
      ahead.addAll(asking);
      line.stream().mapToLong(each -> left(each, now)).min().ifPresent(this::setTimer);
    }
    store.batcher().send(asking);
  }

  /**
   * A lease came from the store.
   *
   * @param atOnce whether it came without a wait in the queue
   * @param askedAt since when the request has its place in the queue
   * @return until when it may be passed on
   */
  synchronized long opened(Acquisition taken, boolean atOnce, long askedAt) {
    long from = taken.lease().acquiredAt();
    int permits = taken.keys().permits();
    if (!atOnce && askedAt - lastEnd < 0) {
      return ends.getOrDefault(permits, from);
    }
    long end = from + HAND_OFF;
    ends.merge(permits, end, LeaseGate::later);
    lastEnd = later(lastEnd, end);
    return end;
  }

  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /**
   * Passes a lease on, which its holder gives back.
   *
   * @return what follows, outside of all monitors; null if it goes back to the store
   */
  synchronized @Nullable Runnable passOn(Request from, Acquisition held, long now) {
    if (line.isEmpty() || !mayPassOn(from, held, now)) {
      return null;
    }
    for (Request next : line) { // it leaves the line when it is over
      boolean fits = next.keys().permits() == held.keys().permits();
      Runnable taken = fits ? next.takeOver(from, held, now) : null;
      if (taken != null) {
        return taken;
      }
    }
    return null;
  }

  /** A lease that was made longer is not passed on: the next holder has not asked for that. */
  private boolean mayPassOn(Request from, Acquisition held, long now) {
    HeldLease lease = held.lease();
    return now - from.passableUntil() < 0
        && from.passed() < store.options().mostHandOffs(held.keys().kind())
        && lease.terms().equals(store.defaultLease())
        && lease.rest(now) == 0
        && lease.state(now) == LeaseState.HELD
        && lease.remaining(now) >= store.defaultLease().nanos() / 2
        && store.takesWork();
  }
}
