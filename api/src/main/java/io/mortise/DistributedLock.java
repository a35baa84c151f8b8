package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;

/**
 * A lock of a {@link LockService}, identified by its name. Two handles of one name are the same
 * lock.
 *
 * <p>Methods that ask the store throw {@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException} and {@link LockServiceClosedException}.
 * Thread-safe.
 */
public interface DistributedLock extends LeasedLock {
  @Override
  DistributedLock withLease(Duration lease);

  @Override
  DistributedLock withMaxHold(Duration max);

  /**
   * Whether the lock is held, here or in another process. It sends one read-only command. The
   * answer is a snapshot.
   *
   * @return whether it is held
   */
  boolean isLocked();

  /**
   * The time that is left of the current lease, in this or another process. It sends one read-only
   * command. The answer is a snapshot.
   *
   * @return milliseconds, or -2 if the lock is free
   */
  long remainTimeToLive();

  /**
   * The time that is left of the current lease, as {@link #remainTimeToLive} gives it.
   *
   * @return zero if the lock is free
   */
  default Duration remaining() {
    return Duration.ofMillis(Math.max(0, remainTimeToLive()));
  }

  /**
   * The holder of the lock. It sends one read-only command. The answer is a snapshot. For the read
   * side of a read/write lock, it is the reader whose lease ends last.
   *
   * @return empty if the lock is free
   */
  Optional<LockHolder> holder();

  /**
   * The number of acquisitions in the store's queue of this lock, of all processes. It sends one
   * read-only command. The answer is a snapshot.
   *
   * <p>It may be less than the number of threads that wait. Threads of one service wait for a plain
   * or fenced lock behind one of them, and its lease requests may do so for 10 ms. It may also
   * count waiters of a dead process for some seconds. The two sides of a read/write lock have one
   * queue.
   *
   * @return 0 if no acquisition is in the queue
   */
  int getQueueLength();

  /**
   * Whether any acquisition is in the store's queue of this lock, as {@link #getQueueLength}.
   *
   * @return whether there is one
   */
  default boolean hasQueuedThreads() {
    return getQueueLength() > 0;
  }

  /**
   * Whether acquisitions by this handle get the lock in the order in which they came to the store.
   * It sends no command.
   *
   * @return true for {@link LockService#getFairLock} and for both sides of a read/write lock
   */
  boolean isFair();

  /**
   * Ends the hold of any holder, and grants the lock to the next waiter. The holder is notified at
   * once if a message reaches its service. Otherwise it learns at its next renewal, or, with a
   * fixed lease, at {@code unlock}. Its {@code unlock} throws {@link LeaseLostException} in every
   * case.
   *
   * @return whether it was held
   */
  boolean forceUnlock();

  /**
   * Ends one hold, as {@link #forceUnlock()} does, if that id still holds the lock. So nobody's
   * hold ends by accident that began after the caller has looked.
   *
   * <p>The threads of a service may hand a hold off to each other, and so may its leases. It keeps
   * its id then.
   *
   * @param holderId the id of the hold, as {@link LockHolder#id} and {@link LeaseChange#holder}
   *     have it
   * @return false if that id does not hold the lock; then nothing has changed
   * @throws IllegalArgumentException the text can be no id
   */
  boolean forceUnlock(String holderId);

  /**
   * As {@link #forceUnlock()}, without blocking.
   *
   * @return whether it was held; the future completes on the service's executor and fails with what
   *     the blocking method throws
   */
  CompletableFuture<Boolean> forceUnlockAsync();

  /**
   * A condition for threads of this process that have the returned object, as a condition of a
   * {@link java.util.concurrent.locks.ReentrantLock}. Waiting and signalling send no commands but
   * those of the lock.
   *
   * <p>Every method of the condition needs the lock. Without it the method throws {@link
   * IllegalMonitorStateException}, or {@link LeaseLostException} if the lease is over. {@code
   * await} acquires the lock again before it returns. If the store cannot be reached then, {@code
   * await} throws what {@code lock()} throws, and the thread does not hold the lock. Of the write
   * side of a read/write lock, {@code await} throws {@link IllegalStateException} at once to a
   * thread that also holds the read side: it would wait for itself to write again.
   *
   * @return a new condition of this lock, thread-safe
   * @throws UnsupportedOperationException this is the read side of a read/write lock
   */
  @Override
  Condition newCondition();

  /**
   * The condition of this lock with that name, shared by all processes. A thread of one process
   * waits, and a thread of another signals. A signal goes to the thread that has waited longest and
   * whose process is alive, as far as the store knows. A process that died up to 10 s ago may still
   * get it, in a cluster above all. If a process dies before it acts on the signal, the signal is
   * gone. So wait with a time limit, or use {@code signalAll}, where no signal may be lost.
   *
   * <p>To wait costs what unlocking and locking cost, and in addition one command to join, one
   * every two seconds, and one to leave unless signalled. To signal costs one command.
   *
   * <p>If the store cannot be reached or does not answer, {@code signal} throws {@link
   * BackendUnavailableException} or {@link OutcomeUnknownException}. {@code await} throws them
   * before it gives the lock back. Everything else is as for {@link #newCondition()}.
   *
   * @param name 1 to 512 bytes of UTF-8 without braces and colons
   * @return a handle, thread-safe
   * @throws IllegalArgumentException the name is empty, too long, or has braces or colons
   * @throws UnsupportedOperationException this is the read side of a read/write lock
   */
  Condition newCondition(String name);
}
