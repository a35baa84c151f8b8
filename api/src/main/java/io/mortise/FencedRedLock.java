package io.mortise;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * A {@link RedLock} whose holds have fencing tokens: a later hold has a larger token. Send the
 * token to the resource with each write, and let the resource refuse smaller ones, as {@link
 * JdbcGuard} and {@link KeyGuard} do. Then a holder that was paused beyond its lease does no harm.
 *
 * <pre>{@code
 * FencedRedLock lock =
 *     RedLock.of(a.getLock("x"), b.getLock("x"), c.getLock("x"))
 *         .withQuarantine(Duration.ofSeconds(30))
 *         .fenced();
 * long token = lock.lockAndGetToken();
 * }</pre>
 *
 * <p>An acquisition reads the last tokens of a majority of the servers, and writes a larger one to
 * a majority. Tokens also rise when servers lose their data, as long as their clocks differ by less
 * than the longest lease.
 *
 * <p><b>Cost.</b> Two commands on each member more for each acquisition, and two round trips.
 */
public interface FencedRedLock extends RedLock {
  @Override
  FencedRedLock withQuarantine(Duration longestLease);

  @Override
  FencedRedLock withMemberTimeout(Duration timeout);

  @Override
  FencedRedLock withLease(Duration lease);

  /**
   * The fencing token of the calling thread's hold. Nested holds share it. It sends no command.
   *
   * @return a positive number
   * @throws IllegalMonitorStateException the thread does not hold the lock; it is a {@link
   *     LeaseLostException} if the thread held it and the lease is over
   * @throws IllegalStateException the thread locked by a handle that is not fenced
   */
  long fencingToken();

  /**
   * Locks as {@link #lock()} does, and returns the token.
   *
   * @return as {@link #fencingToken()}
   */
  long lockAndGetToken();

  /**
   * Locks as {@link #tryLock()} does, and returns the token.
   *
   * @return as {@link #fencingToken()}; empty if the lock was not acquired
   */
  OptionalLong tryLockAndGetToken();

  /**
   * Locks as {@link #tryLock(Duration)} does, and returns the token.
   *
   * @param wait the longest time to wait; none if not positive
   * @return as {@link #fencingToken()}; empty if the lock was not acquired
   * @throws InterruptedException the thread was interrupted before or while waiting
   */
  OptionalLong tryLockAndGetToken(Duration wait) throws InterruptedException;
}
