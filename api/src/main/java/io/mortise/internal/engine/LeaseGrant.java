package io.mortise.internal.engine;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseState;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.HeldLease.Loss;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.Names;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a request for a lease gets: the lease's holder, its listeners, and for how long it may be
 * passed on. It has the hold from {@link #begins} until that goes back to the store, or to the next
 * request at the {@link LeaseGate}. Thread-safe.
 */
final class LeaseGrant implements Acquisition.Grant {
  /**
   * The thread that asked for a lease, and where in the application. The place costs a walk through
   * the stack, so it is known only while the story of locks is logged.
   */
  record Caller(Thread thread, @Nullable String place) {
    private static final String API = "io.mortise.";

    static Caller here() {
      return new Caller(Thread.currentThread(), LockLog.isOn() ? findPlace() : null);
    }

    /** The nearest line of code on the stack that is not of this library. */
    static @Nullable String findPlace() {
      return StackWalker.getInstance()
          .walk(frames ->
              frames
                  .filter(each -> !isOurs(each.getClassName()))
                  .findFirst()
                  .map(each -> each.toStackTraceElement().toString())
                  .orElse(null));
    }

    static boolean isOurs(String type) {
      return type.startsWith("io.mortise.internal.")
          || (type.startsWith(API) && Character.isUpperCase(type.charAt(API.length())));
    }

    @Override
    public String toString() {
      return "thread " + Names.shown(thread) + (place == null ? "" : " at " + place);
    }
  }

  /** The requests of the service, and the gates at which their leases are passed on. */
  interface Home {
    /**
     * Passes on what a lease gives back.
     *
     * @return what follows, outside of all monitors; null if it goes back to the store
     */
    @Nullable Runnable passOn(LeaseGrant from, Acquisition held);

    /** Whether a thread that parks on this object waits for a lease of that lock. */
    boolean isWaitFor(Object blocker, LockKeys lock);
  }

  private final Parts parts;
  private final Home home;
  private final LockKeys keys;
  private final Caller caller = Caller.here();
  private final AttemptEvents.@Nullable Request told;
  private final List<Consumer<? super LeaseChange>> listeners = new CopyOnWriteArrayList<>();

  /** Weak, as a lease that was dropped must be noticed. Null until the hold begins. */
  private volatile @Nullable WeakReference<Lease> handle;

  private volatile long since;
  private volatile @Nullable Thread holder;
  private volatile @Nullable Object whole;
  private volatile @Nullable LeaseChange loss;

  /** Until when it may be passed on; null if it never may. */
  private volatile @Nullable Long passableUntil;

  /** How often what it holds was passed on before it came here. */
  private volatile int passed;

  LeaseGrant(Parts parts, Home home, LockKeys keys) {
    this.parts = parts;
    this.home = home;
    this.keys = keys;
    told = parts.events().attempts().begins(keys, parts.store().now());
  }

  Parts parts() {
    return parts;
  }

  /** The thread that asks for it. */
  Caller caller() {
    return caller;
  }

  /** What listeners are told of its request; null if nobody listens. */
  AttemptEvents.@Nullable Request told() {
    return told;
  }

  LockKeys keys() {
    return keys;
  }

  /**
   * The hold begins, in the step in which the acquisition is taken, or taken over.
   *
   * @param lease the hold, as the application has it
   */
  void begins(Lease lease, long now) {
    since = now;
    handle = new WeakReference<>(lease);
  }

  /** Notes that its request has it. Returns what tells listeners, outside of every monitor. */
  Runnable acquired(Acquisition held, long now) {
    return parts.events().attempts().acquired(told, held, passed > 0, now);
  }

  // What is passed on

  /** From now on it may be passed on, until that time. Called before anybody has the lease. */
  void mayBePassedOn(long until) {
    passableUntil = until;
  }

  /** It has what another one had. Called before anybody has the lease. */
  void follows(LeaseGrant from) {
    passableUntil = from.passableUntil;
    passed = from.passed + 1;
  }

  /** For how long it may still be passed on (ns); negative if it may not. */
  long passableFor(long now) {
    Long until = passableUntil;
    return until == null ? -1 : until - now;
  }

  /** How often what it holds was passed on before it came here. */
  int passed() {
    return passed;
  }

  /**
   * Passes what is held on to a request of this service that waits for it, without a command.
   *
   * @return whether it did; the lease is then over
   */
  boolean passesOn(Acquisition held) {
    Runnable next = passableUntil == null ? null : home.passOn(this, held);
    if (next != null) {
      Trampoline.step(next);
    }
    return next != null;
  }

  // The holder

  /** From now on the thread holds it; null if it is bound to no thread. */
  void belongsTo(@Nullable Thread thread) {
    holder = thread;
  }

  /** As {@link MemberLease#joins}. */
  void joins(Object common) {
    whole = common;
  }

  @Override
  public @Nullable Object whole() {
    return whole;
  }

  @Override
  public List<Holder> holders(Acquisition held) {
    WeakReference<Lease> known = handle;
    if (known == null) {
      return List.of();
    }
    Thread thread = holder;
    if (thread != null && !thread.isAlive()) {
      String ended = "ended without unlocking";
      return List.of(new Holder("thread " + thread.getName(), since, ended, thread, 1));
    }
    String gone =
        known.get() == null
            ? "is referred to by nobody and was never released (" + caller + " asked for it)"
            : null;
    return List.of(new Holder("lease " + held.id(), since, gone, thread, 1));
  }

  /**
   * {@inheritDoc} Null for a semaphore: a thread that takes permits one by one may wait for permits
   * that it gave to others, so a warning would be wrong.
   */
  @Override
  public @Nullable Thread waitingForItself() {
    Object blocker = LockSupport.getBlocker(caller.thread());
    if (blocker == null || keys.kind() == LockKind.SEMAPHORE) {
      return null;
    }
    boolean waits =
        blocker instanceof Gate gate
            ? gate.store() == parts.store() && gate.keys().queue().equals(keys.queue())
            : home.isWaitFor(blocker, keys);
    return waits ? caller.thread() : null;
  }

  // Its end

  @Override
  public boolean endsAtClose() {
    return true;
  }

  /** The lease was released. */
  void released(long now) {
    parts.events().attempts().released(told, now);
  }

  @Override
  public boolean lose(Acquisition held, Loss why) {
    return parts.releases().lose(held, why);
  }

  @Override
  public void onLeaseChange(LeaseChange event) {
    if (event.state() == LeaseState.LOST) {
      loss = event;
      listeners.forEach(listener -> tell(listener, event));
    }
  }

  /** As {@link Lease#onLost}. */
  void onLost(Consumer<? super LeaseChange> listener) {
    Consumer<LeaseChange> once = listener::accept; // a new object, so that it identifies this call
    listeners.add(once);
    LeaseChange known = loss;
    if (known != null) {
      parts.events().execute(() -> tell(once, known));
    }
  }

  /** Notifies a listener once: only the caller that removes it from the list runs it. */
  private void tell(Consumer<? super LeaseChange> listener, LeaseChange event) {
    if (listeners.remove(listener)) {
      Trampoline.guarded(() -> listener.accept(event));
    }
  }

  @Override
  public String toString() {
    return "LeaseGrant[" + keys.text() + ']';
  }
}
