package io.mortise.internal.engine;

import io.mortise.internal.engine.GateRule.Window;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.LockKeys;
import io.mortise.spi.TimeSource.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of one lock or semaphore in a service, for leases that are bound to no thread. What a
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
   *   it comes       to wait: it takes what lies here. Else it goes into the line, if a request of
   *                  this service is ahead of it in the store's queue, and a lease like its own may
   *                  be passed on. Else to the store, as an attempt that does not wait
   *   a lease ends   what it had is for the first in the line that wants the same, if it may be
   *                  passed on. A request of a callback gets it at once. If a thread waits, the
   *                  thread is woken, and the lease lies here. Else it goes back to the store
   *   it is woken    its thread looks, and takes what lies here
   *   none is ahead  the first of the line asks for which nothing lies here, and is then ahead of
   *                  the others
   *   its time       no lease like its own may be passed on any more: it asks
   *
   * So a running thread may take a lease before the thread that was woken for it, which stays where
   * it is in the line. That spares both a switch of threads. The time in which leases are passed on
   * bounds for how long.
   *
   * Two leases are alike if they have the same number of permits. All leases of a lock are alike.
   *
   * So a request in the line misses no grant: the store serves in order, and the one ahead of it
   * is served first. It loses at most HAND_OFF_TIME of its place among other processes.
   *
   * Leases are passed on in a Window of time, however often. (An attempt at a lock may also begin
   * it, if it meets the end of a dead holder's lease before those who wait.) Other leases that come
   * from the store in that time are passed on until its end.
   *
   * A waiter of another process is such a waiter, and so is the agent of the Gate of this name. The
   * two gates pass nothing on to each other, and a hand-off of either begins no time of the other:
   * only an acquisition from the store does. The Gate has one place in the queue at a time. So both
   * together keep a waiter out for the time of each once, and not by turns.
   *
   * Invariants:
   *   (P1) A lease is passed on as one step with the check that it is held. So either it is lost,
   *        and not passed on, or the next holder has it, and is told of a loss. In the same way, no
   *        command is out then that makes it longer.
   *   (P2) While a request is in the line, a request of this service is ahead of it, or its thread
   *        was woken for a lease that lies here. A timer ends its wait here.
   *   (P3) What lies here is used by nobody. For each such lease a thread in the line was woken
   *        that has not looked since, if it may be taken. If that one leaves the line, the next in the line is woken or gets
   *        the lease, or the lease goes back to the store. A timer ends the time in which it may
   *        lie here.
   *
   * Order of monitors: this gate, a request, an acquisition, a lease, the events of a hold. No command
   * is sent in any of them.
   */
  /** A request, as its gate sees it. The gate calls it in its monitor, but for {@link #wake}. */
  interface Request extends CommandBatcher.Command {
    LockKeys keys();

    /** Waits in the line. Returns what tells listeners of that; null if it does not wait. */
    @Nullable Runnable lineUp();

    /** From now on it asks the store. Returns false if it has ended. */
    boolean leaveLine();

    /** Whether it has asked the store, and waits. */
    boolean waitsAtStore();

    /** Whether a thread waits for it, which looks when it wakes. */
    boolean looks();

    /** Wakes that thread. */
    void wakeToLook();

    /** Takes over what was given back. Returns null if it has ended, or that hold has. */
    @Nullable Runnable takeOver(LeaseGrant from, Acquisition held, long now);

    /** Asks the store. */
    void wake();
  }

  /** A lease that was given back, and lies here until a request takes it. */
  private final class Spare implements Acquisition.Grant {
    private final LeaseGrant from;
    private final Acquisition held;

    /** Its thread was woken for this. */
    private final Request looker;

    Spare(LeaseGrant from, Acquisition held, Request looker) {
      this.from = from;
      this.held = held;
      this.looker = looker;
    }

    @Override
    public List<Holder> holders(Acquisition of) {
      return List.of();
    }

    @Override
    public boolean retains(Acquisition of) {
      return true;
    }

    @Override
    public boolean endsAtClose() {
      return true;
    }

    /** It lies here until somebody wants to take it, or its time is over. */
    @Override
    public boolean lose(Acquisition lost, Loss why) {
      return releases.lose(lost, why);
    }
  }

  private static final Logger log = LoggerFactory.getLogger(LeaseGate.class);

  private final Store store;
  private final Releases releases;

  /** What lies here, in the order in which it was given back. */
  private final Set<Spare> spares = new LinkedHashSet<>(2);

  /** Those in the line whose threads were woken and have not looked since. */
  private final Set<Request> woken = new HashSet<>(2);

  /** Those in the line, in the order in which they came. */
  private final Set<Request> line = new LinkedHashSet<>();

  /** Those in the store's queue, and those that were sent there from the line. */
  private final Set<Request> ahead = new HashSet<>(2);

  /** Until when leases may be passed on, by their number of permits. */
  private final Map<Integer, Long> ends = new HashMap<>(2);

  private final Window window;

  /** The requests that have neither a lease nor an end. */
  private int users;

  /** When the line and what lies here are looked at next, if a timer is set. */
  private long timerDue;

  private @Nullable Timer timer;

  LeaseGate(Store store, Releases releases) {
    this.store = store;
    this.releases = releases;
    window = new Window(store.now());
  }

  /** A request begins. It will call {@link #over} once. */
  synchronized void enter() {
    users++;
  }

  /** Whether nothing would be lost with it. */
  synchronized boolean isIdle() {
    return users == 0 && window.isOver(store.now());
  }

  /**
   * A new request that waits takes what lies here, or waits in the line if that may spare it a
   * command.
   *
   * @return what follows, outside of all monitors; null if it has to ask the store
   */
  synchronized @Nullable Runnable join(Request request) {
    Runnable taken = take(request);
    return taken == null ? lineUp(request) : taken;
  }

  /**
   * The thread of a request in the line has woken, or its time is over. It takes what lies here.
   *
   * @return what follows, outside of all monitors; null if there is nothing for it
   */
  synchronized @Nullable Runnable look(Request request) {
    return woken.remove(request) ? take(request) : null;
  }

  private @Nullable Runnable take(Request request) {
    long now = store.now();
    for (Spare spare : spares) {
      boolean fits = wants(request, spare.held) && mayPassOn(spare.from, spare.held, now);
      Runnable taken = fits ? request.takeOver(spare.from, spare.held, now) : null;
      if (taken != null) {
        spares.remove(spare);
        leaves(request);
        return taken;
      }
    }
    return null; // the timer gives back what is too old
  }

  private @Nullable Runnable lineUp(Request request) {
    long now = store.now();
    long left = left(request, now);
    if (ahead.isEmpty() || left <= 0 || !setTimer(now, left)) {
      return null;
    }
    Runnable joined = request.lineUp();
    if (joined != null) {
      line.add(request);
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
    List<Runnable> then;
    synchronized (this) {
      users--;
      leaves(request);
      ahead.remove(request);
      then = leftOver(store.now());
      next = sendFirst();
    }
    then.forEach(Runnable::run);
    if (next != null) {
      next.wake();
    }
  }

  private void leaves(Request request) {
    line.remove(request);
    woken.remove(request);
  }

  /**
   * Offers what lies here to others, if the threads that were woken for it have left the line. What
   * may not be passed on any more goes back.
   *
   * @return what follows, outside of all monitors
   */
  private List<Runnable> leftOver(long now) {
    List<Runnable> then = new ArrayList<>(0);
    for (Spare spare : List.copyOf(spares)) {
      boolean passable = mayPassOn(spare.from, spare.held, now);
      if (!passable || !woken.contains(spare.looker)) {
        spares.remove(spare);
        Runnable passed = passable ? offer(spare.from, spare.held, now) : null;
        then.add(passed == null ? () -> giveBack(spare.held) : passed);
      }
    }
    return then;
  }

  /** Gives back in the background what lay here. */
  private void giveBack(Acquisition old) {
    CompletableFuture<Boolean> unused = releases.endAndReleaseAsync(old);
  }

  private static boolean wants(Request request, Acquisition held) {
    return request.keys().permits() == held.keys().permits();
  }

  private boolean hasSpare(Request looker) {
    return woken.contains(looker) && spares.stream().anyMatch(spare -> spare.looker.equals(looker));
  }

  /** The one that has to ask, since none is ahead; null if there is none. */
  private @Nullable Request sendFirst() {
    Iterator<Request> all = ahead.isEmpty() ? line.iterator() : Collections.emptyIterator();
    while (all.hasNext()) {
      Request first = all.next();
      if (!hasSpare(first)) {
        all.remove();
        woken.remove(first);
        if (first.leaveLine()) {
          ahead.add(first);
          return first;
        }
      }
    }
    return null;
  }

  /** A timer that is set for an earlier time stays. Returns false if none can be set. */
  private boolean setTimer(long now, long delay) {
    try {
      if (timer == null || now + delay - timerDue < 0) {
        Timer next = store.time().schedule(this::timeIsOver, Duration.ofNanos(delay));
        closeTimer();
        timer = next;
        timerDue = now + delay;
      }
      return true;
    } catch (Throwable e) { // an Error too: then nothing lies or waits here
      log.warn("leases go back to the store at once, as no timer can be set", e);
      return false;
    }
  }

  private void closeTimer() {
    if (timer != null) {
      timer.close();
      timer = null;
    }
  }

  /**
   * What may not be passed on any more goes back. Requests for which nothing may be passed on any
   * more ask the store.
   */
  private void timeIsOver() {
    List<Request> asking;
    List<Runnable> then;
    synchronized (this) {
      closeTimer();
      long now = store.now();
      List<Request> leaving = line.stream().filter(each -> left(each, now) <= 0).toList();
      leaving.forEach(this::leaves);
      asking = new ArrayList<>(leaving.stream().filter(Request::leaveLine).toList());
      ahead.addAll(asking);
      then = leftOver(now);
      Request next = sendFirst();
      if (next != null) {
        asking.add(next);
      }
      LongStream waits = line.stream().mapToLong(each -> left(each, now));
      LongStream lie = spares.stream().mapToLong(each -> each.from.passableFor(now));
      LongStream.concat(waits, lie).min().ifPresent(delay -> setTimer(now, delay));
    }
    then.forEach(Runnable::run);
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
    if (!window.mayBegin(atOnce, askedAt)) {
      return ends.getOrDefault(permits, from);
    }
    long end = window.begin(from);
    ends.values().removeIf(each -> each - from <= 0); // or each number of permits would stay
    ends.merge(permits, end, GateRule::later);
    return end;
  }

  /**
   * Passes a lease on, which its holder gives back.
   *
   * @return what follows, outside of all monitors; null if it goes back to the store
   */
  synchronized @Nullable Runnable passOn(LeaseGrant from, Acquisition held) {
    long now = store.now(); // in here, so that a thread that was late is so
    return line.isEmpty() || !mayPassOn(from, held, now) ? null : offer(from, held, now);
  }

  private @Nullable Runnable offer(LeaseGrant from, Acquisition held, long now) {
    for (Request next : line) { // it leaves the line when it is over
      if (wants(next, held) && !hasSpare(next)) {
        Runnable passed =
            next.looks() ? lay(from, held, next, now) : next.takeOver(from, held, now);
        if (passed != null) {
          return passed;
        }
      }
    }
    return null;
  }

  private @Nullable Runnable lay(LeaseGrant from, Acquisition held, Request looker, long now) {
    Spare spare = new Spare(from, held, looker);
    boolean lies =
        setTimer(now, from.passableFor(now)) && held.passTo(spare, () -> spares.add(spare));
    if (!lies) {
      return null;
    }
    if (woken.add(looker)) {
      looker.wakeToLook();
    }
    return () -> {};
  }

  private boolean mayPassOn(LeaseGrant from, Acquisition held, long now) {
    return from.passableFor(now) > 0
        && GateRule.mayPassOnAgain(store, held.keys().kind(), from.passed())
        && held.lease().terms().equals(store.defaultLease())
        && GateRule.isSafe(store, held.lease(), now);
  }
}
