package io.mortise.jmh.contestant;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** One handle of a plain lock, with the operations that both libraries have. */
public interface Mutex {
  /**
   * The handle itself.
   *
   * @return always the same object
   */
  Lock lock();

  /**
   * The lock's key in the store.
   *
   * @return a key
   */
  String key();

  /**
   * Locks with a fixed lease, by the same handle.
   *
   * @param lease how long
   */
  void lockFor(Duration lease);

  /**
   * The number of nested holds of the calling thread.
   *
   * @return 0 if it holds nothing
   */
  int holdCount();

  /**
   * Ends the hold of any holder.
   *
   * @return whether there was one
   */
  boolean forceUnlock();

  /**
   * Locks if that is possible in time.
   *
   * @param wait the longest time to wait
   * @return whether it was acquired
   * @throws InterruptedException the wait was interrupted
   */
  default boolean tryLock(Duration wait) throws InterruptedException {
    return lock().tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
  }
}
