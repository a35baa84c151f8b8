package io.mortise.rivals;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** One handle of a plain lock, by what the libraries have in common. */
interface Mutex {
  /** The handle itself: always the same. */
  Lock lock();

  /** Where the lock is in the store. */
  String key();

  /** Locks with a fixed lease, by the same handle. */
  void lockFor(Duration lease);

  /** The calling thread's nested holds. */
  int holdCount();

  /** Ends anybody's hold. */
  boolean forceUnlock();

  /** Locks if that is possible in time. */
  default boolean tryLock(Duration wait) throws InterruptedException {
    return lock().tryLock(wait.toMillis(), TimeUnit.MILLISECONDS);
  }
}
