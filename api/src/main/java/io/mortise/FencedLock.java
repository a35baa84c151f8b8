package io.mortise;

import java.time.Duration;

/**
 * A lock whose every hold has a token, and a later hold always a larger one. Give the token to the
 * resource with each write and let the resource refuse smaller ones: then a holder that was paused
 * beyond its lease does no harm. The idea is that of Martin Kleppmann's "How to do distributed
 * locking" (2016).
 *
 * <p>Tokens rise also across expiry, forced unlock, threads of one process that pass the lock on
 * among themselves, and loss of the server's data as long as its clock does not step back: a token
 * is never smaller than the server's time in microseconds when it was reserved.
 */
public interface FencedLock extends DistributedLock {
  @Override
  FencedLock withLease(Duration lease);

  /**
   * The token of the calling thread's hold; nested holds share it. No command.
   *
   * @return a positive number
   * @throws IllegalMonitorStateException the thread does not hold the lock; a {@link
   *     LeaseLostException} if it did
   * @throws IllegalStateException the thread is inside by a handle of another kind, which has none
   */
  long fencingToken();

  /**
   * Locks, as {@link #lock()}, and tells the token.
   *
   * @return as {@link #fencingToken()}
   */
  long lockAndGetToken();
}
