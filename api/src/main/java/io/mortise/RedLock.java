package io.mortise;

import io.mortise.internal.composite.RedLockHandle;
import java.time.Duration;

/**
 * One lock kept on several independent servers, held while it is held on most of them: it survives
 * the loss of the others.
 *
 * <pre>{@code
 * RedLock lock = RedLock.of(a.getLock("x"), b.getLock("x"), c.getLock("x"));
 * lock.lock();
 * try {
 *   // nobody else is here while a majority of the servers keeps its clock and its data
 * } finally {
 *   lock.unlock();
 * }
 * }</pre>
 *
 * <p>The algorithm is <a
 * href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Redlock</a>: all
 * members are asked at the same time, each with a timeout of its own; it is acquired if a majority
 * said yes and the time that took leaves anything of the lease, less the drift of clocks (1 % of
 * the lease, and 2 ms). What was taken in vain is given back everywhere. A renewed lease is renewed
 * on each member; one that has too few members left is lost, and never revived. A member that came
 * back is taken again, and counts only after a further look at the others.
 *
 * <p><b>Its limits</b> are those of the algorithm. The servers must be independent: no replicas of
 * each other, no shards of one cluster (members that share a server are reported in the log). A
 * server that restarts without its data must stay away for the longest lease in use, or a second
 * holder may find a majority; the same holds for one whose clock jumps or that evicts keys. All
 * processes must name the same members. It gives no fencing token: if the work must not be
 * repeated, let the resource check one ({@link FencedLock}).
 *
 * <p>Ownership is by thread and reentrant, as with any {@link LeasedLock}; all {@code RedLock}s of
 * the same members of the same services are the same lock. Once the service of any member is
 * closed, who waits is woken by {@link LockServiceClosedException}, and nothing is acquired any
 * more. It does not see, nor is seen by, holds of single members by the same thread. Where too few
 * members answer, {@link #tryLock()} and {@link #lock} throw {@link QuorumException} at once, and a
 * timed attempt when its time is over.
 *
 * <p>Costs a command on each member to lock, to unlock and to renew; its latency is that of the
 * slowest member of the fastest majority.
 */
public interface RedLock extends LeasedLock {
  /**
   * A lock of a majority of these.
   *
   * @param locks three or more, an odd number, each of a service on a server of its own; others are
   *     allowed, with a warning in the log
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException there is none, one is there twice, or one is not from a {@link
   *     LockService}
   */
  static RedLock of(LeasedLock... locks) {
    return RedLockHandle.of(locks);
  }

  /**
   * The same lock with another timeout of a single member. The default is a twentieth of the
   * shortest lease, between 50 ms and a second.
   *
   * @param timeout how long a member may take to answer; short against the lease
   * @return another handle of this lock
   * @throws IllegalArgumentException it is not positive, or longer than a third of the lease
   */
  RedLock withMemberTimeout(Duration timeout);

  @Override
  RedLock withLease(Duration lease);
}
