package io.mortise.internal.lock;

import io.mortise.AsyncLock;
import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LockHolder;
import io.mortise.Registration;
import io.mortise.internal.engine.Acquisition;
import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Failures;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.LockLog;
import io.mortise.internal.engine.PendingTry;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.internal.engine.Waiter;
import io.mortise.internal.engine.Wanted;
import io.mortise.internal.wire.AcquisitionId;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.VotingSet;
import io.mortise.spi.BackendInfo;
import io.mortise.spi.ScriptCall;
import io.mortise.spi.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A handle of an exclusive lock, or of one side of a read/write lock: the keys, the lease, and the
 * engine that does the work. It is immutable.
 */
class LockHandle implements DistributedLock, Member {
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
    return with(LeaseTerms.fixed(Objects.requireNonNull(fixed, "lease")));
  }

  @Override
  public LockHandle withLease(long fixed, TimeUnit unit) {
    return with(LeaseTerms.fixed(fixed, unit));
  }

  @Override
  public LockHandle withMaxHold(Duration max) {
    return with(limited(max));
  }

  final LeaseTerms limited(Duration max) {
    return engine.store().defaultLease().upTo(Objects.requireNonNull(max, "max hold"));
  }

  /** A handle of the same lock with another lease. */
  LockHandle with(LeaseTerms other) {
    return new LockHandle(engine, keys, other);
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
  public void lock() {
    if (lockAgain()) {
      return;
    }
    try {
      acquire(Waiter.patient(lease, engine.store().now(), false));
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait does not throw", e);
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    throwIfInterrupted();
    if (!lockAgain()) {
      acquire(Waiter.patient(lease, engine.store().now(), true));
    }
  }

  @Override
  public boolean tryLock() {
    try {
      return lockAgain() || acquire(impatient());
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    }
  }

  @Override
  public PendingTry begin() {
    if (lockAgain()) {
      return () -> true;
    }
    Waiter waiter = ready(impatient());
    PendingTry begun = told(waiter, () -> engine.gates().begin(keys, waiter));
    return () -> {
      try {
        return reported(told(waiter, begun::finish), waiter);
      } finally {
        waiter.restoreInterrupt();
      }
    };
  }

  @Override
  public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
    throwIfInterrupted();
    long nanos = unit.toNanos(wait);
    return lockAgain()
        || acquire(nanos > 0 ? Waiter.timed(lease, engine.store().now(), nanos) : impatient());
  }

  @Override
  public void lock(long fixed, TimeUnit unit) {
    withLease(fixed, unit).lock();
  }

  @Override
  public void lockInterruptibly(long fixed, TimeUnit unit) throws InterruptedException {
    withLease(fixed, unit).lockInterruptibly();
  }

  @Override
  public boolean tryLock(long wait, long fixed, TimeUnit unit) throws InterruptedException {
    return withLease(fixed, unit).tryLock(wait, unit);
  }

  /** Runs a step of an attempt. If it throws, the attempt is over, and listeners are told. */
  private <T> T told(Waiter waiter, Supplier<T> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error e) {
      engine.events().attempts().notAcquired(keys, waiter, e, engine.store().now());
      throw e;
    }
  }

  final Waiter impatient() {
    return Waiter.impatient(lease, engine.store().now());
  }

  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
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
  final boolean lockAgain() {
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
      acquisition.owner().lose(acquisition, engine.keeper().whyEnded(acquisition));
    }
    return over;
  }

  // Leases

  @Override
  public AsyncLock async() {
    return leases();
  }

  private AsyncLeases leases() {
    return new AsyncLeases(
        new LeaseRequester(engine, new Wanted(keys, lease)), executor(), engine.store().time());
  }

  @Override
  public Lease acquire() throws InterruptedException {
    checkNotHeld();
    return leases().await();
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    checkNotHeld();
    return leases().await(wait);
  }

  private void checkNotHeld() {
    if (wouldWaitForItself()) {
      throw new IllegalStateException(
          "lock '%s': thread %s holds it already, and a lease is not reentrant: the thread would wait for itself; unlock first, or nest lock()"
              .formatted(keys.name(), Thread.currentThread().getName()));
    }
  }

  /** Whether the calling thread's holds exclude a lease of this lock. */
  boolean wouldWaitForItself() {
    return isHeld(engine.gates().holdOfCurrentThread(keys));
  }

  // Releasing

  @Override
  public void unlock() {
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold == null) {
      throw notHeld(engine.lostHolds().exit(keys));
    }
    long now = engine.store().now();
    if (isOver(hold, now)) {
      Hold lost = engine.lostHolds().exit(keys);
      throw notHeld(lost == null ? hold : lost);
    }
    if (hold.count() > 1) {
      hold.exit();
      return;
    }
    if (!hold.end(now)) {
      engine.lostHolds().forget(hold);
      throw notHeld(hold);
    }
    engine.events().attempts().released(hold, engine.store().time());
  }

  @Override
  public void unlockAfter(Duration after) {
    long rest = LeaseTerms.rest(after);
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    if (hold != null && rest > 0) {
      hold.keepUntil(engine.store().now() + rest);
    }
    unlock();
  }

  final IllegalMonitorStateException notHeld(@Nullable Hold lost) {
    if (lost == null) {
      return Member.notHeld(keys.text());
    }
    Thread thread = Thread.currentThread();
    return new LeaseLostException(
        "%s was held by thread %s (%d) as %s and was lost: %s; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(
                keys.text(),
                thread.getName(),
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
    List<Object> reply = look(engine.store().scripts().inspect(keys));
    return reply.isEmpty() ? -2 : (Long) reply.get(1);
  }

  @Override
  public Optional<LockHolder> holder() {
    List<Object> reply = look(engine.store().scripts().inspectHolder(keys));
    return reply.isEmpty() ? Optional.empty() : Optional.of(engine.snapshot().holder(keys, reply));
  }

  @Override
  public int getQueueLength() {
    List<Object> reply =
        engine
            .store()
            .execute(
                keys,
                engine.store().scripts().queueLength(keys),
                "the queue of " + keys.text() + " was looked at");
    if (reply.get(0).equals("FOREIGN")) {
      throw Failures.foreign(keys, (String) reply.get(1));
    }
    return Math.toIntExact((Long) reply.get(1));
  }

  @Override
  public boolean isFair() {
    return keys.isFair() || keys.isReadWrite();
  }

  /**
   * Runs a script that inspects the lock. Returns its reply, or an empty list if the lock is free.
   */
  private List<Object> look(ScriptCall inspection) {
    List<Object> reply = engine.store().execute(keys, inspection, keys.text() + " was looked at");
    return switch ((String) reply.get(0)) {
      case "LOCKED" -> reply;
      case "FREE" -> List.of();
      default -> throw Failures.foreign(keys, (String) reply.get(1));
    };
  }

  // As a member of a multi-lock or a Redlock

  @Override
  public String place() {
    return engine.store().endpoint() + ' ' + keys.lock() + ' ' + engine.store().clientId().text();
  }

  @Override
  public String key() {
    return keys.lock();
  }

  @Override
  public boolean isRenewed() {
    return lease.renewed();
  }

  @Override
  public Duration lease() {
    return Duration.ofNanos(lease.nanos());
  }

  @Override
  public void checkUnused() {
    engine.voter().checkUnused(keys);
  }

  @Override
  public void startVoting(VotingSet set) {
    engine.voter().startVoting(keys, set);
  }

  @Override
  public BackendInfo store() {
    return engine.store().backend().info();
  }

  @Override
  public CompletableFuture<ServerFacts> server() {
    return engine
        .store()
        .backend()
        .executeAsync(engine.store().scripts().identify(keys))
        .thenApply(ServerFacts::of);
  }

  @Override
  public Executor executor() {
    return engine.events()::execute;
  }

  @Override
  public void checkOpen() {
    engine.store().checkOpen(keys);
  }

  @Override
  public Registration onClose(Runnable task) {
    return engine.requests().onClose(task);
  }

  @Override
  public ThreadLeases threadLeases() {
    return engine.threadLeases();
  }

  @Override
  public TimeSource time() {
    return engine.store().time();
  }

  @Override
  public void request(long wait, CompletableFuture<LeaseOutcome> claimed) {
    Runnable unused =
        engine.requests().start(Wanted.ofMember(keys, lease, null), wait, false, claimed);
  }

  @Override
  public void vote(VotingSet set, long wait, CompletableFuture<LeaseOutcome> claimed) {
    Runnable unused =
        engine.requests().start(Wanted.ofMember(keys, lease, set), wait, false, claimed);
  }

  @Override
  public CompletableFuture<Long> accept(long token, VotingSet set) {
    return engine.voter().accept(keys, token, set);
  }

  @Override
  public String voter() {
    return engine.store().endpoint() + ' ' + engine.store().options().keyPrefix();
  }

  @Override
  public @Nullable Thread loserOf(String acquisitionId) {
    return engine.lostHolds().loserOf(acquisitionId);
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
    return new SharedCondition(this, Objects.requireNonNull(condition, "condition name"));
  }

  private void checkHasConditions() {
    if (keys.kind() == LockKind.READ) {
      throw new UnsupportedOperationException(
          keys.text() + " has no conditions, as in the JDK; use those of the write lock");
    }
  }

  /** Throws if the calling thread, which holds the lock, could not get it again after a wait. */
  void checkLocksAgain() {}

  /** Releases every level of a hold. */
  final void exitAll(Hold hold) {
    while (hold.count() > 1) {
      hold.exit();
    }
    unlock();
  }

  /**
   * Locks as many times as the hold had levels. Only the first may need a command and fail.
   *
   * @param kept when it ends, the lock must not be free before that time; null if it may be
   */
  final void lockAll(int levels, @Nullable Long kept) {
    lock();
    Hold hold = engine.gates().holdOfCurrentThread(keys);
    for (int i = 1; hold != null && i < levels; i++) {
      hold.enter();
    }
    if (hold != null && kept != null) {
      hold.keepUntil(kept);
    }
  }

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
                    hold.thread().getName(),
                    TimeUnit.NANOSECONDS.toMillis(
                        hold.acquisition().lease().remaining(engine.store().now())));
    return "DistributedLock[" + keys.name() + keys.kind().label() + ", " + state + ']';
  }
}
