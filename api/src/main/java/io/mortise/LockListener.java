package io.mortise;

import org.jspecify.annotations.Nullable;

/**
 * A listener to the events of a service, for metrics and tracing. An exception of a listener is
 * logged and has no other effect, also not on other listeners.
 *
 * <p><b>Order.</b> The events of one attempt, and of the hold that it becomes, come one after the
 * other, also on an executor of many threads:
 *
 * <ol>
 *   <li>{@link #waiting}, if the attempt has to wait
 *   <li>exactly one {@link #acquired} or {@link #notAcquired}
 *   <li>after {@code acquired} exactly one {@link #released} or {@link #lost}
 * </ol>
 *
 * <p>Closing the service tells every hold that is left as {@code lost}, because the service will
 * not see its end. The thread may hold the lock until its lease ends. Events of different attempts
 * have no order. So to know what is held now, ask {@link LockService#holds} and do not count
 * events.
 *
 * <p><b>What is told.</b> Every attempt on locks of every kind, leases and permits. A nested
 * acquisition is no attempt and is not told. An attempt on a latch ends with {@code notAcquired}
 * and {@link LockAttempt.Outcome#OPEN}. A call with a bad argument is not told. One that a closed
 * service refuses is told as {@code FAILED}. A {@link MultiLock} or {@link RedLock} is told by its
 * members: each attempt on a member is told to the listeners of the member's own service. So one
 * call of such a lock may tell several attempts, and members that it gave up are {@code CANCELLED}
 * or {@code BUSY}.
 *
 * <p><b>Threads.</b> Events of different attempts come on many threads at a time, so a listener has
 * to be thread-safe. A method that runs on a locking or unlocking thread must not block.
 *
 * <ul>
 *   <li>{@link #waiting}, {@link #acquired} and {@link #notAcquired}: for a thread's attempt on
 *       that thread; for a {@link Lease} or a latch on the service's executor.
 *   <li>{@link #released}: for a thread's hold on the thread that unlocks; for a {@link Lease} on
 *       the thread that closes it, or on the service's executor after {@link Lease#releaseAsync},
 *       as always for the members of a lock of several.
 *   <li>{@link #lost}, {@link #leaseChanged}, {@link #deadlocked} and {@link #renewed}: always on
 *       the service's executor.
 * </ul>
 *
 * <p>There are two exceptions. If an event comes while another event of the same attempt or hold is
 * being told, the thread that tells the first one tells the second one afterwards. That keeps the
 * order. If the executor throws when it is given a task, what was to run there runs on the thread
 * {@code mortise-events} of this library.
 */
public interface LockListener {
  /**
   * An attempt begins to wait: other threads of this service are before it, the store has put it
   * into the lock's queue, or the store did not answer in time and is asked again. Told once per
   * attempt. An attempt that acquires the lock at once, or is not to wait, never tells it.
   *
   * @param attempt the attempt
   */
  default void waiting(LockAttempt attempt) {}

  /**
   * A thread acquired a lock, or a lease was acquired.
   *
   * @param attempt the attempt, which is over; {@link LockAttempt#waitedNanos} is known
   * @param hold the hold, which begins
   */
  default void acquired(LockAttempt attempt, LockHold hold) {}

  /**
   * An attempt ended, and acquired nothing.
   *
   * @param attempt the attempt, which is over; {@link LockAttempt#waitedNanos} is known
   * @param outcome how it ended
   * @param failure the exception; null unless the outcome is {@link LockAttempt.Outcome#FAILED}
   */
  default void notAcquired(
      LockAttempt attempt, LockAttempt.Outcome outcome, @Nullable Throwable failure) {}

  /**
   * A thread released a lock or handed it off to another thread of this service, or a lease was
   * given back.
   *
   * @param hold the hold, which is over; {@link LockHold#heldNanos} is known
   */
  default void released(LockHold hold) {}

  /**
   * A hold ended without a release: its lease is over, or its service was closed.
   *
   * @param hold the hold, which is over; {@link LockHold#heldNanos} lasts to the moment when the
   *     loss was seen
   * @param cause why it was lost
   * @param reason what the service saw, for people
   */
  default void lost(LockHold hold, LossCause cause, String reason) {}

  /**
   * A lease became suspect, recovered, or was lost. A loss is also told for a lock that no thread
   * held at that moment, because one thread had just handed it off to the next.
   *
   * @param change the change, and the hold that it concerns
   */
  default void leaseChanged(LeaseChange change) {}

  /**
   * Threads wait for each other in a circle. Told once for each such circle, by the process of the
   * thread that began to wait last. {@code docs/deadlocks.md} says which are found.
   *
   * @param deadlock its threads and locks
   */
  default void deadlocked(Deadlock deadlock) {}

  /**
   * A command that renews leases of this service was answered, or failed.
   *
   * @param holds how many leases it was to renew
   * @param nanos nanoseconds until the answer
   * @param ok whether the store has answered, and enough replicas have confirmed; leases that it no
   *     longer knew are told as lost
   */
  default void renewed(int holds, long nanos, boolean ok) {}
}
