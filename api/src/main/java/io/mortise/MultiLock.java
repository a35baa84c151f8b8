package io.mortise;

import io.mortise.internal.composite.MultiLockHandle;
import java.time.Duration;

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
public interface MultiLock extends LeasedLock {
  /**
   * A lock of all these locks.
   *
   * @param locks of {@link LockService}s; a multi lock among them stands for its members
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException there is none, one is there twice, or one is neither from a
   *     {@code LockService} nor a multi lock
   */
  static MultiLock of(LeasedLock... locks) {
    return MultiLockHandle.of(locks);
  }

  /**
   * The members' names, in the order in which they are waited for.
   *
   * @return such as {@code [alice, bob]}
   */
  @Override
  String name();

  @Override
  MultiLock withLease(Duration lease);
}
