package io.mortise.rivals;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** One handle of a plain lock, with the operations that both libraries have. */
interface Mutex {
  /** The handle itself; always the same object. */
  Lock lock();

  /** The lock's key in the store. */
  String key();

  /** Locks with a fixed lease, by the same handle. */
  void lockFor(Duration lease);

  /** The number of nested holds of the calling thread. */
  int holdCount();

  /** Ends the hold of any holder. */
  boolean forceUnlock();

  /** Locks if that is possible in time. */
  default boolean tryLock(Duration wait) throws InterruptedException {
    return lock().tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
  }
}
