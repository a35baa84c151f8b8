package io.mortise.jmh.contestant;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/** A contestant at work in this process: its connections and its locks. Thread-safe. */
public interface Site extends AutoCloseable {
  /**
   * A reentrant, unfair lock; of the floor, one that is not even reentrant.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  Lock lock(String name);

  /**
   * A lock that is had first come, first served.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  default Lock fairLock(String name) {
    throw new UnsupportedOperationException(this + " has no fair lock");
  }

  /**
   * The readers' side of a read/write lock; of the floor, a lock of the caller's own.
   *
   * @param name the same name is the same lock
   * @return a handle
   */
  default Lock readLock(String name) {
    throw new UnsupportedOperationException(this + " has no read lock");
  }

  /**
   * A semaphore whose permits, where there is a choice, are leases.
   *
   * @param name the same name is the same semaphore
   * @param permits how many it has
   * @return a handle
   */
  default Semaphore semaphore(String name, int permits) {
    throw new UnsupportedOperationException(this + " has no semaphore");
  }

  /**
   * A lock that is held on most of several servers.
   *
   * @param name the same name is the same lock
   * @param members of the same contestant, one for each server
   * @return a handle
   */
  default Lock redLock(String name, List<Site> members) {
    throw new UnsupportedOperationException(this + " has no red lock");
  }

  /**
   * Stands in the line of a fair lock without a thread, and gives the lock back as soon as it has
   * it.
   *
   * @param name the same name is the same lock
   * @return ends when it has given the lock back
   */
  default CompletionStage<?> passThrough(String name) {
    throw new UnsupportedOperationException(this + " has no line");
  }

  /** Permits to take. */
  interface Semaphore {
    /**
     * Takes one, and waits for it.
     *
     * @return gives it back
     * @throws InterruptedException the wait was interrupted
     */
    Runnable acquire() throws InterruptedException;
  }

  /** Ends its connections. */
  @Override
  void close();
}
