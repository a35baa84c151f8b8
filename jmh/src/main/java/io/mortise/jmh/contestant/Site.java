package io.mortise.jmh.contestant;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;

/** An open contestant in this process, with its connections and locks. Thread-safe. */
public interface Site extends AutoCloseable {
  /**
   * A reentrant, unfair lock. The lock of a bare client is not reentrant.
   *
   * @param name the same name gives the same lock
   * @return a handle
   */
  Lock lock(String name);

  /**
   * A lock of any kind.
   *
   * @param kind which kind
   * @param name the same name gives the same lock
   * @return a handle
   */
  default Lock lock(ComparedLock kind, String name) {
    if (kind != ComparedLock.PLAIN) {
      throw new UnsupportedOperationException(this + " has no " + kind.title() + " lock");
    }
    return lock(name);
  }

  /**
   * A lock whose waiters are served first come, first served.
   *
   * @param name the same name gives the same lock
   * @return a handle
   */
  default Lock fairLock(String name) {
    throw new UnsupportedOperationException(this + " has no fair lock");
  }

  /**
   * The read lock of a read/write lock. Of a bare client, the caller's own lock.
   *
   * @param name the same name gives the same lock
   * @return a handle
   */
  default Lock readLock(String name) {
    throw new UnsupportedOperationException(this + " has no read lock");
  }

  /**
   * A semaphore. Its permits are leases, if the library has a choice.
   *
   * @param name the same name gives the same semaphore
   * @param permits the number of permits
   * @return a handle
   */
  default Semaphore semaphore(String name, int permits) {
    throw new UnsupportedOperationException(this + " has no semaphore");
  }

  /**
   * A lock that is held on a majority of several servers.
   *
   * @param name the same name gives the same lock
   * @param members sites of the same contestant, one for each server
   * @return a handle
   */
  default Lock redLock(String name, List<Site> members) {
    throw new UnsupportedOperationException(this + " has no Redlock");
  }

  /**
   * Acquires a lock as {@link #lock} has it, without a thread.
   *
   * @param name the same name is the same lock
   * @return completes when the lock is held
   */
  default CompletionStage<?> acquire(String name) {
    throw new UnsupportedOperationException(this + " has no asynchronous lock");
  }

  /**
   * Acquires a lock as {@link #lock} has it, without a thread, and releases it as soon as it has
   * it.
   *
   * @param name the same name is the same lock
   * @return completes after the release
   */
  default CompletionStage<?> claim(String name) {
    throw new UnsupportedOperationException(this + " has no asynchronous lock");
  }

  /**
   * Joins the queue of a fair lock without a thread, and releases the lock as soon as it has it.
   *
   * @param name the same name gives the same lock
   * @return completes after the release
   */
  default CompletionStage<?> passThrough(String name) {
    throw new UnsupportedOperationException(this + " has no asynchronous fair lock");
  }

  /** A semaphore of a contestant. */
  interface Semaphore {
    /**
     * Acquires one permit, and waits for it.
     *
     * @return releases the permit
     * @throws InterruptedException the wait was interrupted
     */
    Runnable acquire() throws InterruptedException;
  }

  /** Closes the connections. */
  @Override
  void close();
}
