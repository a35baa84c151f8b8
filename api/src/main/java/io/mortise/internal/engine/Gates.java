package io.mortise.internal.engine;

import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The gates of a service, by lock. A lock that no thread uses has none. Thread-safe. */
public final class Gates implements Gate.Home {
  private final Parts parts;
  private final Store store;

  /** How many holds are retained. */
  private final AtomicInteger retained = new AtomicInteger();

  private final QueueWait queueWait;
  private final ReadGates readGates;
  private final Map<String, Gate> byPlace = new ConcurrentHashMap<>();
  private volatile boolean severalKinds;

  Gates(Parts parts, ReadGates readGates) {
    this.parts = parts;
    this.readGates = readGates;
    store = parts.store();
    queueWait = new QueueWait(parts, readGates);
  }

  Collection<Gate> all() {
    return byPlace.values();
  }

  /** Those at which readers share what they hold. */
  Collection<ReadGate> ofReaders() {
    return readGates.all();
  }

  // Holds

  /** The calling thread's hold of a lock, if it has one; its lease may have ended. */
  public @Nullable Hold holdOfCurrentThread(LockKeys keys) {
    Thread thread = Thread.currentThread();
    Hold hold = holdOf(keys, thread.getId());
    return hold != null && hold.isOf(thread) ? hold : null;
  }

  /** A thread's hold, also if it was taken through a handle of another kind. */
  public @Nullable Hold holdOf(LockKeys keys, long threadId) {
    Hold shared = readGates.holdOf(keys, threadId);
    Hold hold = shared == null ? holdAt(keys.gate(threadId), threadId) : shared;
    if (hold == null && severalKinds) {
      for (LockKind kind : keys.kindsOfHold()) {
        hold = hold == null ? holdAt(keys.as(kind).gate(threadId), threadId) : hold;
      }
    }
    return hold;
  }

  private @Nullable Hold holdAt(String place, long threadId) {
    Gate gate = byPlace.get(place);
    Hold hold = gate == null ? null : gate.grant().hold();
    return hold != null && hold.thread().getId() == threadId ? hold : null;
  }

  /** Any thread's hold; as {@link #holdsOf}. */
  public @Nullable Hold holdOf(LockKeys keys) {
    return holdsOf(keys).findFirst().orElse(null);
  }

  /** The holds of all threads. It searches all gates, so it is for diagnostics only. */
  public Stream<Hold> holdsOf(LockKeys keys) {
    Stream<Hold> own =
        byPlace.values().stream().map(gate -> gate.grant().hold()).filter(Objects::nonNull);
    Stream<Hold> shared = readGates.all().stream().flatMap(gate -> gate.holds().stream());
    return Stream.concat(own, shared)
        .filter(hold -> hold.acquisition().keys().lock().equals(keys.lock()));
  }

  /** From now on a lock may have other gates beside the plain one. */
  public void useSeveralKinds() {
    severalKinds = true;
  }

  // Locking

  /** Takes the lock for a thread that does not hold it. Returns false if the thread gives up. */
  public boolean lock(LockKeys keys, Waiter waiter) throws InterruptedException {
    store.time().checkMayPark();
    try {
      Step step;
      do {
        step = readGates.share(waiter) ? share(keys, waiter) : enter(gateOf(keys, waiter), waiter);
      } while (step == Step.RETIRED);
      return step == Step.ACQUIRED;
    } finally {
      waiter.restoreInterrupt();
    }
  }

  private Step share(LockKeys keys, Waiter waiter) throws InterruptedException {
    store.checkOpen(keys);
    ReadGate gate = readGates.of(keys);
    Step step = gate.arrive(waiter);
    if (step == Step.ACQUIRED || step == Step.RETIRED) {
      return step;
    }
    try {
      Step next = step == Step.WAIT ? gate.await(waiter) : step;
      return next == Step.AGENT ? enter(gateOf(keys, waiter), waiter) : next;
    } finally {
      gate.ended(waiter);
    }
  }

  private Step enter(Gate gate, Waiter waiter) throws InterruptedException {
    try {
      return stepsIn(gate, waiter);
    } catch (Throwable e) { // an Error too: the gate would wait for a thread that is gone
      queueWait.leave(gate, waiter);
      throw e;
    }
  }

  private Step stepsIn(Gate gate, Waiter waiter) throws InterruptedException {
    Step step = gate.arrive(waiter);
    boolean waited = step == Step.WAIT && waiter.waits();
    if (waited) {
      parts.events().attempts().waiting(gate.keys(), waiter);
    }
    if (step == Step.WAIT) {
      step = gate.await(waiter);
    }
    if (step != Step.AGENT) {
      return step;
    }
    makeRoom(gate);
    return queueWait.acquire(gate, waiter, waited);
  }

  /** A thread of another gate cannot take over what the plain one retains: that goes back first. */
  private void makeRoom(Gate asking) {
    if (store.retain() > 0 && !asking.isShared()) {
      Gate plain = byPlace.get(asking.keys().lock());
      if (plain != null) {
        plain.makeRoom();
      }
    }
  }

  /**
   * A request for a lease cannot take over what threads retain. Gives it back in the background,
   * and runs the task when the store has answered, or has not.
   *
   * @return whether it was unused; if not, the task does not run
   */
  boolean makesRoom(LockKeys keys, Runnable then) {
    Gate plain = byPlace.get(keys.lock());
    if (plain == null) {
      return false;
    }
    Acquisition unwanted = plain.grant().endUnwanted();
    if (unwanted != null) {
      parts.releases().giveBackFrom(plain, unwanted, then);
    }
    return unwanted != null;
  }

  /** Begins an attempt without waiting, for a thread that does not hold the lock. */
  public Pending begin(LockKeys keys, Waiter waiter, Store.Sender sender) {
    store.time().checkMayPark();
    while (true) {
      Gate gate = gateOf(keys, waiter);
      Pending begun = begin(gate, waiter, sender);
      if (begun != null) {
        return begun;
      }
    }
  }

  /** Returns null if that gate is gone. */
  private @Nullable Pending begin(Gate gate, Waiter waiter, Store.Sender sender) {
    try {
      Step step = gate.arrive(waiter);
      return switch (step) {
        case AGENT -> ask(gate, waiter, sender);
        case WAIT -> () -> finish(gate, waiter);
        case RETIRED -> null;
        default -> () -> step == Step.ACQUIRED;
      };
    } catch (Throwable e) {
      queueWait.leave(gate, waiter);
      throw e;
    }
  }

  private Pending ask(Gate gate, Waiter waiter, Store.Sender sender) {
    makeRoom(gate);
    return queueWait.begin(gate, waiter, sender);
  }

  /** What the service gives back has to be answered before the attempt can ask. */
  private boolean finish(Gate gate, Waiter waiter) {
    try {
      Step step = gate.await(waiter);
      if (step == Step.AGENT) {
        return ask(gate, waiter, store::send).finish();
      }
      return step == Step.ACQUIRED;
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    } catch (Throwable e) {
      queueWait.leave(gate, waiter);
      throw e;
    }
  }

  private Gate gateOf(LockKeys keys, Waiter waiter) {
    store.checkOpen(keys);
    String place = keys.gate(waiter.thread().getId());
    Gate known = byPlace.get(place);
    if (known != null) {
      return known;
    }
    Gate made = new Gate(parts, this, retained, keys, waiter);
    Gate first = byPlace.putIfAbsent(place, made); // makes fewer objects than computeIfAbsent
    return first == null ? made : first;
  }

  @Override
  public Acquisition newAcquisition(Gate gate, Waiter waiter) {
    long thread = waiter.thread().getId();
    if (gate.isShared()) {
      return parts.acquisitions().createShared(gate, gate.grant(), thread, waiter.lease());
    }
    Acquisition.Grant grant = readGates.grantFor(waiter, gate);
    return parts.acquisitions().create(gate, grant, thread, waiter.lease(), true);
  }

  @Override
  public void retire(Gate gate) {
    byPlace.remove(gate.place(), gate);
  }
}
