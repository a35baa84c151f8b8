package io.mortise.internal.lock;

import io.mortise.DistributedLock;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockHolder;
import io.mortise.Registration;
import io.mortise.internal.engine.Acquisition;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.engine.LockLog;
import io.mortise.internal.engine.Pending;
import io.mortise.internal.engine.Store;
import io.mortise.internal.engine.Waiter;
import io.mortise.internal.engine.Wanted;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A handle of an exclusive lock, or of one side of a read/write lock: the keys, the lease, and the
 * engine that does the work. It is immutable.
 */
class LockHandle extends JucLock implements DistributedLock {
  private final Engine engine;
  private final LockKeys keys;
  private final LeaseTerms lease;

  LockHandle(Engine engine, LockKeys keys, LeaseTerms lease) {
    this.engine = engine;
    this.keys = keys;
    this.lease = lease;
  }

  @Override
  public String name() {
    return keys.name();
  }

  @Override
  public LockHandle withLease(Duration fixed) {
    return with(LeaseTerms.fixed(fixed));
  }

  @Override
  public LockHandle withMaxHold(Duration max) {
    return with(limited(max));
  }

  final LeaseTerms limited(Duration max) {
    return engine.store().defaultLease().upTo(Objects.requireNonNull(max, "max hold"));
  }

  @Override
  protected LockHandle with(LeaseTerms other) {
    return new LockHandle(engine, keys, other);
  }

  /** A handle of the same lock, whose holds no other thread shares. */
  LockHandle unshared() {
    return this;
  }

  /**
   * A handle that acquires the lock as that hold was acquired: of the same kind, with the same
   * lease.
   */
  LockHandle handleOf(Hold hold) {
    return new LockHandle(engine, hold.acquisition().keys(), hold.acquisition().lease().terms());
  }

  Engine engine() {
    return engine;
  }

  LockKeys keys() {
    return keys;
  }

  final LeaseTerms leaseTerms() {
    return lease;
  }

  // Acquiring

  @Override
  protected final void lockPatiently(boolean interruptible) throws InterruptedException {
    boolean unused = acquire(Waiter.patient(lease, engine.store().now(), interruptible));
  }

  /**
   * Locks again at the end of a wait for a signal. No deadlock ends this wait: the caller's {@code
   * finally} unlocks, so without the lock it would fail and hide the cause.
   */
  final void lockUnbroken() {
    try {
      boolean unused =
          lockAgain() || acquire(Waiter.patient(lease, engine.store().now(), false).unbreakable());
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait does not throw", e);
    }
  }

  @Override
  protected final boolean lockNow() throws InterruptedException {
    return acquire(impatient());
  }

  @Override
  protected final boolean lockWithin(long nanos) throws InterruptedException {
    return nanos > 0 ? acquire(Waiter.timed(lease, engine.store().now(), nanos)) : lockNow();
  }

  final Waiter impatient() {
    return Waiter.impatient(lease, engine.store().now());
  }

  /** Acquires the lock for the calling thread, which does not hold it. */
  private boolean acquire(Waiter waiter) throws InterruptedException {
    return take(ready(waiter));
  }

  /** Checks the waiter, and adds what a kind of lock needs, before anything is sent. */
  Waiter ready(Waiter waiter) {
    return waiter;
  }

  final boolean take(Waiter waiter) throws InterruptedException {
    boolean acquired;
    try {
      acquired = engine.gates().lock(keys, waiter);
    } catch (InterruptedException | RuntimeException | Error e) {
      engine.events().attempts().notAcquired(keys, waiter, e, engine.store().now());
      throw e;
    }
    return reported(acquired, waiter);
  }

  final boolean reported(boolean acquired, Waiter waiter) {
    Hold hold = waiter.hold();
    if (waiter.isTimed()) {
      LockLog.late(keys, waiter, engine.store().now());
    }
    if (acquired && hold != null) {
      engine.lostHolds().goesOn();
      LockLog.acquired(hold, waiter);
      engine.events().attempts().acquired(hold);
    } else {
      engine.events().attempts().notAcquired(keys, waiter, null, engine.store().now());
      LockLog.refused(keys, waiter, engine.store().now());
    }
    return acquired;
  }

  /**
   * Adds a nested hold if the calling thread holds the lock. Only a longer lease needs a command.
   */
  @Override
  protected final boolean lockAgain() {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold == null) {
      return false;
    }
    engine.store().checkNotClosed(keys); // while it closes, holders may go on
    long now = engine.store().now();
    if (isOver(hold, now) || !engine.keeper().ensureLease(hold.acquisition(), lease, now)) {
      return false;
    }
    hold.enter();
    return true;
  }

  /** Whether the lease has ended. If so, the gate is notified, unless it already knows. */
  private boolean isOver(Hold hold, long now) {
    Acquisition acquisition = hold.acquisition();
    boolean over = acquisition.lease().state(now) == LeaseState.LOST;
    if (over) {
      boolean unused = hold.lose(engine.keeper().whyEnded(acquisition));
    }
    return over;
  }

  // Leases

  @Override
  protected final AsyncLeases leases() {
    return AsyncLeases.of(engine, new Wanted(keys, lease));
  }

  @Override
  protected final void checkNotHeld() {
    if (wouldWaitForItself()) {
      throw new IllegalStateException(
          "lock '%s': thread %s holds it already, and a lease is not reentrant: the thread would wait for itself; unlock first, or nest lock()"
              .formatted(Names.shown(keys.name()), Names.shown(Thread.currentThread())));
    }
  }

  /** Whether the calling thread's holds exclude a lease of this lock. */
  boolean wouldWaitForItself() {
    return isHeld(engine.gates().holdOfCurrentThread(keys));
  }

  // Releasing

  @Override
  public void unlock() {
    boolean unused = unlock(Duration.ZERO, engine.store().asking()).finish();
  }

  /**
   * Begins to unlock as {@link #unlockAfter(Duration)} does.
   *
   * @param sender how the command is sent, if one is needed
   * @return to be finished; may throw as that method
   */
  final Pending unlock(Duration after, Store.Sender sender) {
    long rest = LeaseTerms.rest(after);
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold == null) {
      throw notHeld(engine.lostHolds().exit(keys));
    }
    long now = engine.store().now();
    if (rest > 0) {
      hold.keepUntil(now + rest);
    }
    if (isOver(hold, now)) {
      Hold lost = engine.lostHolds().exit(keys);
      throw notHeld(lost == null ? hold : lost);
    }
    if (hold.count() > 1) {
      hold.exit();
      return () -> true;
    }
    Pending ended = hold.end(now, sender);
    return () -> {
      if (!ended.finish()) {
        engine.lostHolds().forget(hold);
        throw notHeld(hold);
      }
      engine.events().attempts().released(hold, engine.store().time());
      return true;
    };
  }

  @Override
  public void unlockAfter(Duration after) {
    boolean unused = unlock(after, engine.store().asking()).finish();
  }

  final IllegalMonitorStateException notHeld(@Nullable Hold lost) {
    if (lost == null) {
      return notHeld(keys.text());
    }
    Thread thread = Thread.currentThread();
    return new LeaseLostException(
        "%s was held by thread %s (%d) as %s and was lost: %s; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(
                keys.text(),
                Names.shown(thread),
                thread.getId(),
                lost.acquisition().id(),
                lost.acquisition().lease().loss()));
  }

  @Override
  public boolean forceUnlock() {
    return engine.releases().force(keys);
  }

  @Override
  public boolean forceUnlock(String holderId) {
    return engine.releases().force(keys, AcquisitionId.check(holderId));
  }

  @Override
  public CompletableFuture<Boolean> forceUnlockAsync() {
    return engine.releases().forceAsync(keys);
  }

  // Looking

  @Override
  public boolean isHeldByCurrentThread() {
    boolean held = isCertain(engine.gates().holdOfCurrentThread(keys));
    if (!held) {
      engine.lostHolds().told(keys);
    }
    return held;
  }

  @Override
  public boolean isHeldByThread(long threadId) {
    return isCertain(engine.gates().holdOf(keys, threadId));
  }

  private boolean isCertain(@Nullable Hold hold) {
    long now = engine.store().now();
    return hold != null && isHeld(hold, now) && !hold.acquisition().lease().isUnsure(now);
  }

  final boolean isHeld(@Nullable Hold hold) {
    return hold != null && isHeld(hold, engine.store().now());
  }

  private static boolean isHeld(Hold hold, long now) {
    return hold.acquisition().lease().state(now) != LeaseState.LOST;
  }

  @Override
  public int getHoldCount() {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    return hold != null && isCertain(hold) ? hold.count() : 0;
  }

  @Override
  public LeaseState leaseState() {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold != null) {
      return hold.acquisition().lease().state(engine.store().now());
    }
    return engine.lostHolds().find(keys) == null ? LeaseState.RELEASED : LeaseState.LOST;
  }

  @Override
  public void ensureHeld() {
    Hold unused = requireHold();
  }

  /**
   * The calling thread's hold, whose lease is not over. If only the store can say so, it is asked.
   * Throws if there is none.
   */
  final Hold requireHold() {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    long now = engine.store().now();
    if (hold == null || !isHeld(hold, now) || !engine.keeper().settle(hold.acquisition(), now)) {
      throw notHeld(hold == null ? engine.lostHolds().find(keys) : hold);
    }
    return hold;
  }

  @Override
  public Registration onLeaseChange(Consumer<? super LeaseChange> listener) {
    return engine.events().add(keys.lock(), Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public boolean isLocked() {
    return remainTimeToLive() >= 0;
  }

  @Override
  public long remainTimeToLive() {
    return stored().remainTimeToLive();
  }

  @Override
  public Optional<LockHolder> holder() {
    return stored().holder();
  }

  @Override
  public int getQueueLength() {
    return stored().queueLength();
  }

  final StoredLock stored() {
    return new StoredLock(engine, keys);
  }

  @Override
  public boolean isFair() {
    return keys.isFair() || keys.isReadWrite();
  }

  // Conditions

  @Override
  public Condition newCondition() {
    checkHasConditions();
    return new PrivateCondition(this);
  }

  @Override
  public Condition newCondition(String condition) {
    checkHasConditions();
    return new SharedCondition(this, condition);
  }

  private void checkHasConditions() {
    if (keys.kind() == LockKind.READ) {
      throw new UnsupportedOperationException(
          keys.text() + " has no conditions, as in the JDK; use those of the write lock");
    }
  }

  /** Throws if the calling thread, which holds the lock, could not get it again after a wait. */
  void checkLocksAgain() {}

  /** Handles of one lock of one service are equal, also with different leases. */
  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof LockHandle that
        && engine == that.engine
        && keys.lock().equals(that.keys.lock());
  }

  @Override
  public final int hashCode() {
    return keys.lock().hashCode();
  }

  @Override
  public String toString() {
    Hold hold = engine.gates().holdOf(keys);
    String state =
        hold == null || !isHeld(hold)
            ? "not held by this service"
            : "held by thread %s, %d ms of its lease left"
                .formatted(
                    Names.shown(hold.thread()),
                    TimeUnit.NANOSECONDS.toMillis(
                        hold.acquisition().lease().remaining(engine.store().now())));
    return "DistributedLock[" + Names.shown(keys.name()) + keys.kind().label() + ", " + state + ']';
  }
}
