package io.mortise;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * A lock whose holds have fencing tokens: a later hold has a larger token. Send the token to the
 * resource with each write, and let the resource refuse smaller ones. Then a holder that was paused
 * beyond its lease does no harm. {@link JdbcGuard} and {@link KeyGuard} do that. The idea is from
 * Martin Kleppmann's "How to do distributed locking" (2016).
 *
 * <p>Tokens rise across lost leases, forced unlocks, and hand-offs between threads of one process.
 * They rise after a loss of the server's data too, as long as its clock does not step back: a token
 * is never smaller than the server's time in microseconds when it was reserved.
 *
 * <p>One exception: the store may have ended a hold before the process knows. Until then the
 * process may hand it off, with tokens smaller than those of later holders. The resource refuses
 * these.
 */
public interface FencedLock extends DistributedLock {
  @Override
  FencedLock withLease(Duration lease);

  @Override
  FencedLock withMaxHold(Duration max);

  /**
   * The fencing token of the calling thread's hold. Nested holds share it. It sends no command.
   *
   * @return a positive number
   * @throws IllegalMonitorStateException the thread does not hold the lock; it is a {@link
   *     LeaseLostException} if the thread held it and the lease is over
   * @throws IllegalStateException the thread locked by a handle of another kind, so its hold has no
   *     token
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
