package io.mortise;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock with two sides. Many threads of many processes may hold the {@link #readLock} at a time,
 * or one thread holds the {@link #writeLock}. Each hold has a lease of its own, but threads of one
 * service may share a read hold. Two handles of one name are the same lock. It is another lock than
 * {@link LockService#getLock} of that name.
 *
 * <pre>{@code
 * DistributedReadWriteLock prices = locks.getReadWriteLock("prices");
 * prices.readLock().lock();
 * try {
 *   // no thread changes them
 * } finally {
 *   prices.readLock().unlock();
 * }
 * }</pre>
 *
 * <p><b>Order.</b> First come, first served. A reader that comes while a writer waits queues behind
 * it. A writer queues behind the readers that wait. So neither side starves the other. No attempt
 * overtakes the queue, also not {@code tryLock()}, which does so in the JDK. The only exception:
 * for 10 ms after a read hold came from the store, threads of the same service join it without a
 * command. {@link LockService.Builder#handOffLimit handOffLimit(0)} turns that off.
 *
 * <p><b>Both sides.</b> Each side counts its own nested holds. A thread that writes may also read,
 * at once. When it then unlocks the write lock, it goes on reading, and readers at the head of the
 * queue get the lock (downgrade). A thread that only reads cannot lock the write side. Every way of
 * locking it throws {@link IllegalStateException}, where {@code lock()} of the JDK would deadlock.
 * Use {@link #tryUpgrade}.
 *
 * <p>{@code forceUnlock()}, {@code isLocked()} and {@code remainTimeToLive()} concern one side. For
 * the read side they concern all readers, and the time left is that of the longest lease.
 * Everything else is as in {@link DistributedLock}. Thread-safe. A handle costs nothing while
 * unused.
 */
public interface DistributedReadWriteLock extends ReadWriteLock {
  /**
   * The name of this lock, as it was given to {@link LockService#getReadWriteLock}.
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
   * Acquires the write lock in addition to the calling thread's read lock, if no other thread holds
   * the lock. It never waits for a holder. No thread has written between this thread's last read
   * and its first write.
   *
   * <p>It overtakes waiting writers, because they wait for this reader. Afterwards the thread holds
   * both sides, and unlocks the write lock first. If the result is false, it goes on reading.
   *
   * @return whether the thread now holds the write lock, one level deeper if it held it before
   * @throws IllegalMonitorStateException the thread does not hold the read lock; it is a {@link
   *     LeaseLostException} if the thread held it and the lease is over
   * @throws LockException as {@link LeasedLock#tryLock()}
   */
  boolean tryUpgrade();
}
