package io.mortise;

import io.mortise.internal.composite.FirstLoss;
import io.mortise.internal.composite.MultiAttempt;
import io.mortise.internal.composite.MultiRequest;
import io.mortise.internal.lock.AsyncLeases;
import io.mortise.internal.lock.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Several locks as one, all or nothing: of any services and backends, each on its own terms, fair
 * or not, renewed or not.
 *
 * <pre>{@code
 * LeasedLock both = MultiLock.of(accounts.getLock("alice"), archive.getLock("bob"));
 * both.lock();
 * try {
 *   // nobody else is at either
 * } finally {
 *   both.unlock();
 * }
 * }</pre>
 *
 * <p>It is held while all its members are held. Ownership is the thread's, member by member, so a
 * thread that holds a member already enters it once more, and any {@code MultiLock} of the same
 * members is the same lock. The members must be different locks: two services on one store have the
 * same lock under one name, which this class cannot see; such a lock is never acquired.
 *
 * <p><b>Waiting.</b> Multi locks never deadlock with each other, in whatever order their members
 * were given: a member is waited for only by a thread that holds no other member, or only members
 * that are renewed and whose names come before. What cannot be waited for is tried; if that fails,
 * all is given back, and the thread waits for the lock that was not to be had, with nothing in
 * hand. One deadline covers all of it. A thread that nests other locks around a multi lock keeps an
 * order of its own.
 *
 * <p><b>Leases.</b> Each member is renewed, or has the fixed lease from before its own command was
 * sent; the merged lease ends with the first. A fixed lease that is over before the last member was
 * taken is a {@link LeaseLostException}, with nothing held.
 *
 * <p>{@link #unlock} releases every member, whatever becomes of the others, and then throws: {@link
 * LeaseLostException} if any was lost, with what the members threw as suppressed exceptions. {@link
 * #leaseState} is the worst of the members'. {@link #onLeaseLost} tells of the first loss of a hold
 * and of no other until its thread has unlocked; renewals that failed, and members that are held
 * alone, it tells as their own listeners would.
 *
 * <p><b>Trying.</b> Attempts that do not wait try one member after the other, in the order of their
 * names. So if several threads or processes try the same or overlapping members at the same time,
 * and nobody else has any of them, one gets all of its own.
 *
 * <p>Costs what its members cost if nobody contends: a command each to lock, all at the same time
 * for who waits, and one each to unlock.
 */
public final class MultiLock implements LeasedLock {
  /* Overview
   *
   * Ownership is by thread, so every member is locked on the caller's own thread. One that waits
   * begins all its first tries before it hears of any (docs/decisions/0009). This class keeps no state but its members;
   * MultiAttempt and MultiClaim have the ways to acquire them, MultiLoss merges what is told of
   * their leases.
   */
  private static final Comparator<Member> CANONICAL =
      Comparator.comparing(Member::name).thenComparing(Member::place);

  private final List<Member> members;

  MultiLock(List<Member> members) {
    this.members = members;
  }

  /**
   * A lock of all these locks.
   *
   * @param locks of {@link LockService}s; a multi lock among them stands for its members
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException there is none, one is there twice, or one is neither from a
   *     {@code LockService} nor a multi lock
   */
  public static MultiLock of(LeasedLock... locks) {
    List<Member> members =
        Stream.of(locks).flatMap(MultiLock::membersOf).sorted(CANONICAL).toList();
    if (members.isEmpty()) {
      throw new IllegalArgumentException("a multi lock of no locks; give it one or more");
    }
    Set<String> places = new HashSet<>();
    for (Member each : members) {
      if (!places.add(each.place())) {
        throw new IllegalArgumentException(
            "lock '%s' is in the multi lock twice (%s); give each lock once"
                .formatted(each.name(), each.place()));
      }
    }
    return new MultiLock(members);
  }

  private static Stream<Member> membersOf(LeasedLock lock) {
    if (lock instanceof MultiLock multi) {
      return multi.members.stream();
    }
    if (Objects.requireNonNull(lock, "a member of the multi lock") instanceof Member member) {
      return Stream.of(member);
    }
    throw new IllegalArgumentException(
        "%s is a %s; a member of a multi lock comes from a LockService, or is a multi lock"
            .formatted(lock, lock.getClass().getName()));
  }

  /**
   * The members' names, in the order in which they are waited for.
   *
   * @return such as {@code [alice, bob]}
   */
  @Override
  public String name() {
    return members.stream().map(Member::name).collect(Collectors.joining(", ", "[", "]"));
  }

  @Override
  public MultiLock withLease(Duration lease) {
    return with(each -> each.withLease(lease));
  }

  private MultiLock withLease(long lease, TimeUnit unit) {
    return with(each -> each.withLease(lease, unit));
  }

  private MultiLock with(UnaryOperator<Member> other) {
    return new MultiLock(members.stream().map(other).toList());
  }

  // Acquiring

  @Override
  public void lock() {
    try {
      boolean unused = MultiAttempt.patient(members, LeasedLock::lock).acquire();
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait does not throw", e);
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    throwIfInterrupted();
    boolean unused = MultiAttempt.patient(members, LeasedLock::lockInterruptibly).acquire();
  }

  @Override
  public boolean tryLock() {
    try {
      return MultiAttempt.impatient(members).acquire();
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    }
  }

  @Override
  public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
    throwIfInterrupted();
    return wait > 0 ? MultiAttempt.timed(members, unit.toNanos(wait)).acquire() : tryLock();
  }

  @Override
  public void lock(long lease, TimeUnit unit) {
    withLease(lease, unit).lock();
  }

  @Override
  public void lockInterruptibly(long lease, TimeUnit unit) throws InterruptedException {
    withLease(lease, unit).lockInterruptibly();
  }

  @Override
  public boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
    return withLease(lease, unit).tryLock(wait, unit);
  }

  /**
   * {@inheritDoc} Claims that wait ask for all members at the same time; all are given back
   * together.
   */
  @Override
  public AsyncLock async() {
    return leases();
  }

  @Override
  public Lease acquire() throws InterruptedException {
    checkNoneHeld();
    return leases().await();
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    checkNoneHeld();
    return leases().await(wait);
  }

  private AsyncLeases leases() {
    Member first = members.get(0);
    return new AsyncLeases(
        (wait, claimed) -> MultiRequest.start(name(), members, wait, claimed),
        first.executor(),
        first.time());
  }

  private void checkNoneHeld() {
    for (Member each : members) {
      if (each.isHeldByCurrentThread()) {
        throw new IllegalStateException(
            "multi lock %s: thread %s holds '%s' already, and a lease is not reentrant: the thread would wait for itself; unlock first"
                .formatted(name(), Thread.currentThread().getName(), each.name()));
      }
    }
  }

  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  // Releasing and looking

  /**
   * Releases every member that the calling thread holds, whatever becomes of the others.
   *
   * @throws LeaseLostException one or more were lost; the others are released
   * @throws IllegalMonitorStateException one or more were not held; the others are released
   */
  @Override
  public void unlock() {
    List<Throwable> errors = releaseAll(members);
    if (!errors.isEmpty()) {
      throw merged(errors, "the other members are released");
    }
  }

  /** Unlocks all, the last first, and returns what they threw. */
  public static List<Throwable> releaseAll(List<Member> held) {
    List<Member> lastFirst = new ArrayList<>(held);
    Collections.reverse(lastFirst);
    return tell(lastFirst, Member::unlock);
  }

  private static List<Throwable> tell(List<Member> members, Consumer<Member> what) {
    List<Throwable> errors = new ArrayList<>();
    for (Member each : members) {
      try {
        what.accept(each);
      } catch (RuntimeException | Error e) {
        errors.add(e);
      }
    }
    return errors;
  }

  /** One exception for all: a loss before a member that was not held, anything else first. */
  private RuntimeException merged(List<Throwable> errors, String others) {
    for (Throwable each : errors) {
      if (!(each instanceof IllegalMonitorStateException)) {
        errors.stream().filter(other -> !other.equals(each)).forEach(each::addSuppressed);
        if (each instanceof Error error) {
          throw error;
        }
        return (RuntimeException) each;
      }
    }
    long lost = errors.stream().filter(LeaseLostException.class::isInstance).count();
    Thread thread = Thread.currentThread();
    String message =
        "multi lock %s: thread %s (%d) lost %d of %d members and did not hold %d; %s (see the suppressed exceptions; docs/troubleshooting.md#lease-lost)"
            .formatted(
                name(),
                thread.getName(),
                thread.getId(),
                lost,
                members.size(),
                errors.size() - lost,
                others);
    RuntimeException all =
        lost > 0 ? new LeaseLostException(message) : new IllegalMonitorStateException(message);
    errors.forEach(all::addSuppressed);
    return all;
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return members.stream().allMatch(Member::isHeldByCurrentThread);
  }

  @Override
  public boolean isHeldByThread(long threadId) {
    return members.stream().allMatch(each -> each.isHeldByThread(threadId));
  }

  /** {@inheritDoc} The fewest of all members. */
  @Override
  public int getHoldCount() {
    return members.stream().mapToInt(Member::getHoldCount).min().orElse(0);
  }

  /**
   * The worst of the members' states: {@code LOST}, then {@code RELEASED}, {@code SUSPECT}, {@code
   * HELD}.
   *
   * @return {@link LeaseState#HELD} only if all members are
   */
  @Override
  public LeaseState leaseState() {
    Set<LeaseState> states = members.stream().map(Member::leaseState).collect(Collectors.toSet());
    return Stream.of(LeaseState.LOST, LeaseState.RELEASED, LeaseState.SUSPECT)
        .filter(states::contains)
        .findFirst()
        .orElse(LeaseState.HELD);
  }

  @Override
  public void ensureHeld() {
    List<Throwable> errors = tell(members, Member::ensureHeld);
    if (!errors.isEmpty()) {
      throw merged(errors, "the other members are still held");
    }
  }

  @Override
  public Registration onLeaseLost(Consumer<? super LeaseChange> listener) {
    FirstLoss loss = new FirstLoss(name(), Objects.requireNonNull(listener, "listener"));
    List<Registration> all =
        members.stream().map(each -> each.onLeaseLost(event -> loss.changed(each, event))).toList();
    return () -> all.forEach(Registration::close);
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "multi lock " + name() + ": conditions are not available yet");
  }

  @Override
  public String toString() {
    return "Multi" + members;
  }
}
