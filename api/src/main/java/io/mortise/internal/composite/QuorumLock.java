package io.mortise.internal.composite;

import io.mortise.Lease;
import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.LockServiceClosedException;
import io.mortise.RedLock;
import io.mortise.Registration;
import io.mortise.internal.concurrent.Trampoline;
import io.mortise.internal.engine.LeaseOutcome;
import io.mortise.internal.engine.ThreadLeases;
import io.mortise.internal.lock.AsyncLeases;
import io.mortise.internal.lock.JucLock;
import io.mortise.internal.lock.Member;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import io.mortise.internal.wire.VotingSet;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the handles of a Redlock have in common: they know which thread holds which lease.
 * Thread-safe.
 *
 * @param <L> the kind of handle
 */
abstract class QuorumLock<L extends QuorumLock<L>> extends JucLock implements RedLock {
  private static final Logger log = LoggerFactory.getLogger(QuorumLock.class);

  private final QuorumMembers members;
  private final String places;
  private final ThreadLeases holds;
  private final List<Consumer<? super LeaseChange>> listeners;

  QuorumLock(QuorumMembers members) {
    this(members, members.places(), new CopyOnWriteArrayList<>());
  }

  /** A handle of the same lock, with what the other handle knows of it. */
  QuorumLock(QuorumLock<?> other, QuorumMembers members) {
    this(members, other.places, other.listeners);
  }

  private QuorumLock(
      QuorumMembers members, String places, List<Consumer<? super LeaseChange>> listeners) {
    this.members = members;
    this.places = places;
    holds = members.all().get(0).threadLeases();
    this.listeners = listeners;
  }

  final QuorumMembers members() {
    return members;
  }

  /** A handle of the same lock and kind, with other options. */
  abstract L with(QuorumMembers other);

  @Override
  public final void init() {
    VotingSet set = members.voters();
    if (set == null) {
      throw new IllegalStateException(
          "Redlock '%s' has no quarantine, so its servers vote at once; call withQuarantine first"
              .formatted(Names.shown(name())));
    }
    members.checkOpen();
    members.all().forEach(Member::checkUnused);
    members.all().forEach(each -> each.startVoting(set));
  }

  @Override
  public final String name() {
    return members.name();
  }

  @Override
  public final L withLease(Duration lease) {
    return with(LeaseTerms.fixed(lease));
  }

  @Override
  protected final L with(LeaseTerms other) {
    return with(members.leasing(other));
  }

  @Override
  public final L withMemberTimeout(Duration timeout) {
    return with(members.answeringWithin(timeout));
  }

  @Override
  public final L withQuarantine(Duration longestLease) {
    return with(members.inQuarantine(longestLease));
  }

  @Override
  public final LeasedLock withMaxHold(Duration max) {
    throw new UnsupportedOperationException(
        "Redlock '%s' has no max hold of its own, because it acquires members again while it is held; open the services of its members with maxHold, or call ensureHeld and unlock"
            .formatted(Names.shown(name())));
  }

  // Acquiring

  @Override
  protected final void lockPatiently(boolean interruptible) throws InterruptedException {
    AsyncLeases own = leases(Thread.currentThread());
    enter(interruptible ? own.await() : own.join());
  }

  @Override
  protected final boolean lockNow() {
    return entered(leases(Thread.currentThread()).attempt());
  }

  @Override
  protected final boolean lockWithin(long nanos) throws InterruptedException {
    return entered(leases(Thread.currentThread()).await(Duration.ofNanos(nanos)));
  }

  private void request(@Nullable Thread owner, long wait, CompletableFuture<LeaseOutcome> result) {
    try {
      members.checkOpen();
    } catch (LockServiceClosedException e) {
      result.completeExceptionally(e);
      return;
    }
    members.servers().acquiring(members.voters() != null);
    start(new QuorumOwner(owner, this::tell), wait, result);
  }

  /** Requests a lease for an owner. */
  void start(QuorumOwner owner, long wait, CompletableFuture<LeaseOutcome> result) {
    QuorumRequest.start(members, owner, wait, result);
  }

  private boolean entered(Optional<Lease> lease) {
    lease.ifPresent(this::enter);
    return lease.isPresent();
  }

  private void enter(Lease acquired) {
    QuorumLease lease = (QuorumLease) acquired;
    holds.add(places, lease, () -> lease.left().isZero());
  }

  /**
   * Counts one more nested lock if the calling thread holds the Redlock. It sends a command only if
   * the lease must be longer.
   */
  @Override
  protected final boolean lockAgain() {
    ThreadLeases.Held own = own();
    if (own == null || !isCertain(own) || !((QuorumLease) own.lease()).ensure(members)) {
      return false;
    }
    own.enter();
    return true;
  }

  // Releasing and looking

  @Override
  public final void unlock() {
    ThreadLeases.Held own = own();
    if (own == null) {
      throw notHeld("Redlock '" + Names.shown(name()) + "'");
    }
    Lease over = holds.exit(places, own);
    if (over != null) {
      over.close();
    } else if (isLost(own)) {
      throw lost();
    }
  }

  @Override
  public final void unlockAfter(Duration after) {
    throw QuorumLease.noRest(name(), "unlock");
  }

  @Override
  public final boolean isHeldByCurrentThread() {
    ThreadLeases.Held own = own();
    if (own != null && isLost(own)) {
      holds.told(places); // one that is only in doubt may still be unlocked
    }
    return isValid(own);
  }

  @Override
  public final boolean isHeldByThread(long threadId) {
    return isValid(holds.find(places, threadId));
  }

  /** The calling thread's newest hold, valid or lost. */
  private ThreadLeases.@Nullable Held own() {
    return holds.find(places);
  }

  private static boolean isValid(ThreadLeases.@Nullable Held held) {
    return held != null && held.lease().isValid();
  }

  private static boolean isLost(ThreadLeases.Held held) {
    return held.lease().state() == LeaseState.LOST;
  }

  private static boolean isCertain(ThreadLeases.Held held) {
    return ((QuorumLease) held.lease()).isCertain();
  }

  @Override
  public final int getHoldCount() {
    ThreadLeases.Held own = own();
    return own != null && isValid(own) ? own.count() : 0;
  }

  @Override
  public final LeaseState leaseState() {
    ThreadLeases.Held own = own();
    return own == null ? LeaseState.RELEASED : own.lease().state();
  }

  @Override
  public final void ensureHeld() {
    Lease unused = requireLease();
  }

  /** The lease of the calling thread's hold, which is not over. Throws if there is none. */
  final Lease requireLease() {
    ThreadLeases.Held own = own();
    if (own == null) {
      throw notHeld("Redlock '" + Names.shown(name()) + "'");
    }
    if (!isCertain(own)) {
      throw lost();
    }
    return own.lease();
  }

  private LeaseLostException lost() {
    return new LeaseLostException(
        "Redlock '%s' was held by thread %s, but too few of its members still are; others may have held the lock since (docs/troubleshooting.md#lease-lost)"
            .formatted(Names.shown(name()), Names.shown(Thread.currentThread())));
  }

  /**
   * {@inheritDoc} It hears of holds that were acquired through this handle and handles derived from
   * it.
   */
  @Override
  public final Registration onLeaseChange(Consumer<? super LeaseChange> listener) {
    Consumer<LeaseChange> one = Objects.requireNonNull(listener, "listener")::accept;
    listeners.add(one);
    return () -> listeners.remove(one);
  }

  private void tell(LeaseChange event) {
    if (event.state() == LeaseState.HELD) {
      log.info("Redlock '{}' is safe again: {}", Names.shown(name()), event);
    } else {
      log.warn("Redlock '{}': {}", Names.shown(name()), event);
    }
    listeners.forEach(each -> Trampoline.guarded(each, event));
  }

  // Leases

  @Override
  protected final AsyncLeases leases() {
    return leases(null);
  }

  /**
   * The leases for an owner.
   *
   * @param owner the thread that is to hold them; null for leases that are bound to no thread
   */
  private AsyncLeases leases(@Nullable Thread owner) {
    return new AsyncLeases(
        (wait, here, result) -> {
          request(owner, wait, result);
          return () -> {};
        },
        members::execute,
        members.time());
  }

  @Override
  protected final void checkNotHeld() {
    ThreadLeases.Held own = own();
    if (own != null && !isLost(own)) {
      throw new IllegalStateException(
          "Redlock '%s': thread %s holds it already, and a lease is not reentrant: the thread would wait for itself; unlock first, or nest lock()"
              .formatted(Names.shown(name()), Names.shown(Thread.currentThread())));
    }
  }

  @Override
  public final Condition newCondition() {
    throw new UnsupportedOperationException(
        "Redlock '%s': conditions need one store; use a condition of a DistributedLock"
            .formatted(Names.shown(name())));
  }

  /** Handles of the same members are equal, whatever lease they ask for. */
  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof QuorumLock<?> that && members.all().equals(that.members.all());
  }

  @Override
  public final int hashCode() {
    return members.all().hashCode();
  }

  @Override
  public final String toString() {
    return "RedLock[%s, %d of %s]".formatted(Names.shown(name()), members.quorum(), members.all());
  }
}
