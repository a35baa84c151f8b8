package io.mortise;

import io.mortise.internal.composite.RedLockHandle;
import java.time.Duration;

/**
 * One lock on several independent servers. It is held while a majority of them has it, so it
 * survives the loss of the others.
 *
 * <pre>{@code
 * RedLock lock = RedLock.of(a.getLock("x"), b.getLock("x"), c.getLock("x"));
 * lock.lock();
 * try {
 *   // no other holder, while a majority of the servers keeps its clock and its data
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>The algorithm is <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Redlock</a>:
 *
 * <ul>
 *   <li>All members are asked at the same time, each with its own timeout.
 *   <li>The lock is acquired if a majority granted it and some of the lease is left. The drift of
 *       clocks (1 % of the lease, and 2 ms) is subtracted first.
 *   <li>Otherwise, everything that was acquired is given back.
 *   <li>A renewed lease is renewed on each member. With too few members left it is lost, and never
 *       revived.
 *   <li>A member that came back is acquired again. It counts only after another look at the other
 *       members.
 * </ul>
 *
 * <p><b>Limits</b> of the algorithm:
 *
 * <ul>
 *   <li>The servers must be independent: no replicas of each other, no shards of one cluster. Two
 *       members of one cluster or sentinel set are refused. The log reports other members that
 *       share a server.
 *   <li>A server that restarts without its data must stay away for the longest lease in use.
 *       Otherwise a second holder may get a majority. {@link #withQuarantine} makes servers do so
 *       by themselves. The same danger comes from a server whose clock jumps, or that evicts keys.
 *   <li>All processes must use the same members.
 *   <li>If an old holder's write must be refused, use the fencing tokens of {@link #fenced}.
 * </ul>
 *
 * <p>The thread owns the lock, and it is reentrant, as with every {@link LeasedLock}. All {@code
 * RedLock}s of the same members of the same services are the same lock. Holds of single members are
 * separate: a thread that holds one does not hold the Redlock, and the other way round.
 *
 * <p>If too few members answer, {@link #tryLock()} and {@link #lock} throw {@link QuorumException}
 * at once, and a timed attempt throws it at its deadline. When the service of any member is closed,
 * all waiters wake with {@link LockServiceClosedException}, and nothing is acquired any more.
 *
 * <p><b>Cost.</b> One command on each member to lock, to unlock and for each renewal. The latency
 * is that of the slowest member of the fastest majority.
 */
public interface RedLock extends LeasedLock {
  /**
   * Creates one lock over these locks.
   *
   * @param locks three or more, an odd number, each of a service on its own server; anything else
   *     is allowed, with a warning in the log
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException there are no locks, one is there twice, also through two
   *     services on one server, two members have the endpoint of one cluster or sentinel set, or
   *     one is not from a {@link LockService}
   */
  static RedLock of(LeasedLock... locks) {
    return RedLockHandle.of(locks);
  }

  /**
   * A handle of the same lock whose holds have fencing tokens. {@link Lease#fencingToken()} of its
   * leases has them too.
   *
   * @return another handle
   * @throws IllegalStateException this handle has no {@linkplain #withQuarantine quarantine}, and a
   *     server without its data could give a token twice
   */
  FencedRedLock fenced();

  /**
   * A handle of the same lock with another timeout of a member. The default is a twentieth of the
   * shortest lease, between 50 ms and 1 s.
   *
   * @param timeout the time in which a member must answer; short compared with the lease
   * @return another handle
   * @throws IllegalArgumentException it is not positive, or longer than a third of the lease
   */
  RedLock withMemberTimeout(Duration timeout);

  /**
   * A handle of the same lock whose servers keep a quarantine: a server that was started, restored,
   * promoted or flushed gives no vote before the longest lease is over. So a server that lost its
   * data cannot give its part to a second holder. The default is no quarantine. While fewer than a
   * majority may vote, attempts fail with {@link QuorumException}, whose answers say how long each
   * quarantine still lasts.
   *
   * <p>All processes must state the same members and the same longest lease, and must use such a
   * handle. Servers refuse a set that differs from the one they vote for. A longer lease is an
   * {@link IllegalArgumentException}: here, and in every method that takes a lease. The servers
   * must allow {@code INFO} and must not evict keys.
   *
   * <p>Servers that are new keep a quarantine too, unless {@link #init} or the command {@code
   * mortise redlock init} ends it.
   *
   * @param longestLease no lease of this lock is longer, in any process; at least the lease of each
   *     member
   * @return another handle
   * @throws IllegalArgumentException a member has a longer lease, it is below 10 ms, or a member is
   *     in a cluster
   */
  RedLock withQuarantine(Duration longestLease);

  /**
   * Ends the quarantine of servers that were never used, so that they vote at once. For the first
   * start of a set, when certainly no process holds a lock of it. It is never needed, because a
   * quarantine ends by itself.
   *
   * <p>It looks at all members' servers before it changes any. All must be reachable and have no
   * key with the prefix of their service.
   *
   * @throws IllegalStateException a server has such a key, or this handle has no quarantine
   * @throws LockException a server could not be asked
   */
  void init();

  @Override
  RedLock withLease(Duration lease);
}
