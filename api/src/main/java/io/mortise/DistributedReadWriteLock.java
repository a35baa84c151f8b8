package io.mortise;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock with two sides: many threads of many processes may hold the {@link #readLock} at a time,
 * or one the {@link #writeLock}. Each hold is a lease of its own. Two handles of one name are the
 * same lock; it is another lock than {@link LockService#getLock} of that name.
 *
 * <pre>{@code
 * DistributedReadWriteLock prices = locks.getReadWriteLock("prices");
 * prices.readLock().lock();
 * try {
 *   // nobody changes them
 * } finally {
 *   prices.readLock().unlock();
 * }
 * }</pre>
 *
 * <p><b>Order.</b> First come, first served: a reader that comes while a writer waits queues behind
 * it, a writer behind the readers that wait already, so neither side starves the other. No attempt
 * passes those who wait, also not {@code tryLock()} (the JDK's does).
 *
 * <p><b>Both sides.</b> Each side is reentrant for itself. A thread that writes may read as well,
 * at once; when it then unlocks the write lock, it still reads, and readers that wait first in line
 * join it (downgrade). A thread that only reads gets no write lock: each way of locking it throws
 * {@link IllegalStateException}, where the JDK would deadlock; {@link #tryUpgrade} is the way.
 *
 * <p>{@code forceUnlock()}, {@code isLocked()} and {@code remainTimeToLive()} are about one side:
 * of the read lock they concern all its holders, and the time left is that of the longest lease.
 * Everything else is as {@link DistributedLock} says. Thread-safe; costs nothing while unused.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {
  /**
   * The name this lock was asked for by.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * The shared side.
   *
   * @return a handle, which costs nothing while unused
   */
  @Override
  DistributedLock readLock();

  /**
   * The exclusive side.
   *
   * @return a handle, which costs nothing while unused
   */
  @Override
  DistributedLock writeLock();

  /**
   * Takes the write lock beside the calling thread's read lock, if no other thread reads; never
   * waits for anybody. Nothing was written between the thread's last reading and its writing. It
   * passes writers that wait, since they wait for this very reader. Afterwards the thread holds
   * both, and unlocks the write lock first; with false it reads on.
   *
   * @return whether the thread now holds the write lock, once more if it did before
   * @throws IllegalMonitorStateException the thread does not hold the read lock; a {@link
   *     LeaseLostException} if it did
   * @throws LockException as {@link LeasedLock#tryLock()} throws
   */
  boolean tryUpgrade();
}
