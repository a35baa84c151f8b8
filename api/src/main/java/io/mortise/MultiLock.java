package io.mortise;

import io.mortise.internal.composite.MultiLockHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;

/**
 * Several locks as one, all or nothing. The members may be of any services and backends, fair or
 * not, with renewed or fixed leases.
 *
 * <pre>{@code
 * LeasedLock both = MultiLock.of(accounts.getLock("alice"), archive.getLock("bob"));
 * both.lock();
 * try {
 *   // no other thread holds either of them
 * } finally {
 *   both.unlock();
 * }
 * }</pre>
 *
 * <p>It is held while all its members are held. The thread owns each member by itself. So a thread
 * that already holds a member locks it once more, and every {@code MultiLock} of the same members
 * is the same lock. The members must be different locks. Two services on one store have the same
 * lock under one name, and are refused as members. A store is known by its endpoint. If two
 * endpoints are one store, this class cannot see that, and such a multi-lock is never acquired.
 *
 * <p><b>Waiting.</b> Multi-locks never deadlock with each other, whatever the order of their
 * members. A thread waits for a member only if it holds no other member, or only members whose
 * names come earlier, and which are renewed without a maximum. In all other cases it tries the
 * member without waiting. If that fails, it gives all members back, and waits for the refused
 * member while it holds nothing. One deadline covers all of it. A caller that nests other locks
 * around a multi-lock has to keep an order of its own.
 *
 * <p><b>Leases.</b> Each member is renewed, or has the fixed lease, counted from before its own
 * command was sent. The merged lease ends with the first. If a fixed lease is over before the last
 * member was acquired, the attempt throws {@link LeaseLostException}, and nothing is held.
 *
 * <p><b>Releasing.</b> {@link #unlock} releases every member, also if one of them fails, and then
 * throws. It throws {@link LeaseLostException} if a member was lost, with the exceptions of the
 * members as suppressed ones.
 *
 * <p><b>Losses.</b> {@link #leaseState} is the worst of the members' states. {@link #onLeaseLost}
 * reports the first loss of a hold, and no other until its thread has unlocked. Of a merged lease
 * it reports the first loss alone. {@link #onLeaseChange} also reports each member that becomes
 * suspect or is safe again, and the reason names it. Both report members that are held alone, as
 * the members' own listeners would.
 *
 * <p><b>Trying.</b> An attempt that does not wait tries one member after the other, in the order of
 * their names. So several threads or processes may try the same or overlapping members at the same
 * time. If no other holder has any of these members, one of the attempts gets all of its members.
 *
 * <p><b>Cost.</b> Without contention: one command for each member to lock and one to unlock. Plain
 * and fair members of one service are cheaper: one command is for up to 200 of them. An attempt
 * that waits sends its first commands all at the same time, and so does {@link #unlock}.
 */
public interface MultiLock extends LeasedLock {
  /**
   * Creates one lock of all these locks.
   *
   * @param locks locks of {@link LockService}s; a multi-lock among them stands for its members
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException there are no locks, one is there twice, also through two
   *     services on one store, both sides of a read/write lock are there, or one is neither from a
   *     {@code LockService} nor a multi-lock
   */
  static MultiLock of(LeasedLock... locks) {
    return of(Arrays.asList(locks));
  }

  /**
   * Creates one lock of all these locks, in any number.
   *
   * @param locks locks of {@link LockService}s; a multi-lock among them stands for its members
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException as for {@link #of(LeasedLock...)}
   */
  static MultiLock of(Collection<? extends LeasedLock> locks) {
    return MultiLockHandle.of(locks);
  }

  /**
   * The members' names, in the order in which they are tried.
   *
   * @return a text such as {@code [alice, bob]}
   */
  @Override
  String name();

  @Override
  MultiLock withLease(Duration lease);

  @Override
  MultiLock withMaxHold(Duration max);
}
