package io.mortise.internal.composite;

import io.mortise.LeaseChange;
import io.mortise.LeaseLostException;
import io.mortise.LeaseState;
import io.mortise.LeasedLock;
import io.mortise.MultiLock;
import io.mortise.Registration;
import io.mortise.internal.lock.AsyncLeases;
import io.mortise.internal.lock.JucLock;
import io.mortise.internal.lock.Member;
import io.mortise.internal.lock.MemberHandle;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A multi-lock as the application has it. Thread-safe. */
public final class MultiLockHandle extends JucLock implements MultiLock {
  /* Overview
   *
   * Ownership is by thread, so every member is locked on the caller's own thread. A call that waits
   * begins all its first tries before it reads the reply to any of them
   * (docs/decisions/0009-multi-locks.md#d9). This class keeps no state but its members. MultiAttempt
   * and MultiRequest acquire the members, and FirstLoss merges what the members report about their
   * leases.
   */
  private static final Comparator<Member> CANONICAL =
      Comparator.comparing(Member::name).thenComparing(Member::place);

  private final List<Member> members;

  public MultiLockHandle(List<Member> members) {
    this.members = members;
  }

  public static MultiLock of(Collection<? extends LeasedLock> locks) {
    List<Member> members =
        locks.stream().flatMap(MultiLockHandle::membersOf).sorted(CANONICAL).toList();
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a multi-lock of no locks; give it one or more");
    }
    Member.refuseTwice(members, "multi-lock");
    return new MultiLockHandle(members);
  }

  private static Stream<Member> membersOf(LeasedLock lock) {
    if (lock instanceof MultiLockHandle multi) {
      return multi.members.stream();
    }
    Objects.requireNonNull(lock, "a member of the multi-lock");
    return Stream.of(
        MemberHandle.of(
            lock, "a member of a multi-lock comes from a LockService, or is a multi-lock"));
  }

  @Override
  public String name() {
    return members.stream().map(Member::name).collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public MultiLockHandle withLease(Duration lease) {
    return with(LeaseTerms.fixed(lease));
  }

  @Override
  public MultiLockHandle withMaxHold(Duration max) {
    return with(each -> each.withMaxHold(max));
  }

  @Override
  protected MultiLockHandle with(LeaseTerms other) {
    return with(each -> each.with(other));
  }

  private MultiLockHandle with(UnaryOperator<Member> other) {
    return new MultiLockHandle(members.stream().map(other).toList());
  }

  // Acquiring

  /** Each member counts its own levels. */
  @Override
  protected boolean lockAgain() {
    return false;
  }

  @Override
  protected void lockPatiently(boolean interruptible) throws InterruptedException {
    boolean unused = MultiAttempt.patient(members, interruptible).acquire();
  }

  @Override
  protected boolean lockNow() throws InterruptedException {
    return MultiAttempt.impatient(members).acquire();
  }

  @Override
  protected boolean lockWithin(long nanos) throws InterruptedException {
    return nanos > 0 ? MultiAttempt.timed(members, nanos).acquire() : lockNow();
  }

  /** A request that waits asks for all members at the same time. They are given back together. */
  @Override
  protected AsyncLeases leases() {
    Member first = members.get(0);
    return new AsyncLeases(
        (wait, here, result) -> {
          MultiRequest.start(name(), members, wait, result);
          return () -> {};
        },
        first.executor(),
        MemberTime.of(members));
  }

  @Override
  protected void checkNotHeld() {
    for (Member each : members) {
      if (each.wouldWaitForItself()) {
        throw new IllegalStateException(
            "multi-lock %s: thread %s holds '%s' already, and a lease is not reentrant: the thread would wait for itself; unlock first"
                .formatted(
                    Names.shown(name()),
                    Names.shown(Thread.currentThread()),
                    Names.shown(each.name())));
      }
    }
  }

  // Releasing and looking

  /**
   * Releases every member that the calling thread holds, also if the release of another one fails.
   *
   * @throws LeaseLostException one or more members were lost; the others are released
   * @throws IllegalMonitorStateException one or more members were not held; the others are released
   */
  @Override
  public void unlock() {
    checkReleased(MultiTries.unlockAll(members, Duration.ZERO));
  }

  /** {@inheritDoc} Every member is kept as long, and the errors are those of {@link #unlock}. */
  @Override
  public void unlockAfter(Duration after) {
    checkReleased(MultiTries.unlockAll(members, after));
  }

  private void checkReleased(List<Throwable> errors) {
    if (!errors.isEmpty()) {
      throw merged(errors, "the other members are released");
    }
  }

  /**
   * One exception for all. Another kind of exception comes first, then a loss, then a member that
   * was not held.
   */
  private RuntimeException merged(List<Throwable> errors, String others) {
    for (Throwable each : errors) {
      if (!(each instanceof IllegalMonitorStateException)) {
        return MultiTries.merged(each, errors);
      }
    }
    long lost = errors.stream().filter(LeaseLostException.class::isInstance).count();
    Thread thread = Thread.currentThread();
    String message =
        "multi-lock %s: thread %s (%d) lost %d of %d members and did not hold %d; %s; %s; see the suppressed exceptions"
            .formatted(
                Names.shown(name()),
                Names.shown(thread),
                thread.getId(),
                lost,
                members.size(),
                errors.size() - lost,
                others,
                lost > 0 ? "docs/troubleshooting.md#lease-lost" : WHY_NOT_HELD);
    RuntimeException all =
        lost > 0 ? new LeaseLostException(message) : new IllegalMonitorStateException(message);
    errors.forEach(all::addSuppressed);
    return all;
  }

  private Stream<LeasedLock> locks() {
    return members.stream().map(Member::handle);
  }

  /** {@inheritDoc} It asks every member, so that the thread is told of each loss. */
  @Override
  public boolean isHeldByCurrentThread() {
    return locks().filter(LeasedLock::isHeldByCurrentThread).count() == members.size();
  }

  @Override
  public boolean isHeldByThread(long threadId) {
    return locks().allMatch(each -> each.isHeldByThread(threadId));
  }

  /** {@inheritDoc} The smallest count of all members. */
  @Override
  public int getHoldCount() {
    return locks().mapToInt(LeasedLock::getHoldCount).min().orElse(0);
  }

  /**
   * The worst of the members' states, in this order: {@code LOST}, {@code RELEASED}, {@code
   * SUSPECT}, {@code HELD}.
   *
   * @return {@link LeaseState#HELD} only if all members are held
   */
  @Override
  public LeaseState leaseState() {
    Set<LeaseState> states = locks().map(LeasedLock::leaseState).collect(Collectors.toSet());
    return Stream.of(LeaseState.LOST, LeaseState.RELEASED, LeaseState.SUSPECT)
        .filter(states::contains)
        .findFirst()
        .orElse(LeaseState.HELD);
  }

  @Override
  public void ensureHeld() {
    List<Throwable> errors = new ArrayList<>();
    locks().forEach(each -> MultiTries.guarded(each::ensureHeld, errors));
    if (!errors.isEmpty()) {
      throw merged(errors, "the other members are still held");
    }
  }

  @Override
  public Registration onLeaseChange(Consumer<? super LeaseChange> listener) {
    FirstLoss loss = new FirstLoss(name(), Objects.requireNonNull(listener, "listener"));
    List<Registration> all =
        members.stream()
            .map(each -> each.onLeaseChange((event, lease) -> loss.changed(each, event, lease)))
            .toList();
    return () -> all.forEach(Registration::close);
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "multi-lock " + Names.shown(name()) + ": it has no conditions; use one of a member");
  }

  /** Handles of the same members are equal, whatever lease they ask for. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MultiLockHandle that && members.equals(that.members);
  }

  @Override
  public int hashCode() {
    return members.hashCode();
  }

  @Override
  public String toString() {
    return "Multi" + members;
  }
}
