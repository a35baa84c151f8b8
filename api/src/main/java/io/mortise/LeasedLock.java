package io.mortise;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * A {@link Lock} whose ownership is a lease: it ends by itself when the holder's process is gone. A
 * lease without an explicit time is renewed until it is released, while the process lives and the
 * store answers.
 *
 * <p><b>Reentrant.</b> A thread that holds the lock acquires it again at once, without a command.
 * It releases the lock with the last {@link #unlock}. A nested acquisition never has less lease
 * than it asks for, and never shortens the hold. It sends a command only to make the lease longer.
 * More than {@link Integer#MAX_VALUE} nested holds are an {@link Error}, as in the JDK.
 *
 * <p><b>Errors</b> of acquiring, in addition to those of {@link Lock}:
 *
 * <ul>
 *   <li>{@link BackendUnavailableException}: the store certainly did not acquire the lock
 *   <li>{@link OutcomeUnknownException}: whether it did is not known
 *   <li>{@link ForeignKeyException}: the lock's key holds another program's data
 *   <li>{@link LockServiceClosedException}: the service is closed or closing
 * </ul>
 *
 * <p>If the store cannot be reached, {@link #lock} and {@link #tryLock()} throw at the first
 * attempt that was certainly not executed. A timed {@code tryLock} tries until its deadline and
 * then throws. A thread that already waits in the queue survives an outage of up to one lease time.
 *
 * <p><b>Releasing.</b> {@link #unlock} throws {@link IllegalMonitorStateException} if the calling
 * thread does not hold the lock. If the thread held it and the lease is over, that is a {@link
 * LeaseLostException}. If the store cannot be reached, {@code unlock} returns normally. Renewal has
 * stopped then, and the release is sent in the background until it is confirmed or the lease has
 * ended.
 *
 * <p>A handle is thread-safe and costs nothing while unused.
 */
public interface LeasedLock extends Lock {
  /**
   * The name of this lock, as it was given to the service.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * A handle of the same lock whose acquisitions have a fixed lease, which is not renewed.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return another handle
   * @throws IllegalArgumentException the lease is out of range
   */
  LeasedLock withLease(Duration lease);

  /**
   * Acquires as {@link Lock#tryLock(long, TimeUnit)} does, until the deadline at most.
   *
   * @param wait the longest time to wait; none if not positive
   * @return whether the lock was acquired
   * @throws InterruptedException the thread was interrupted before or while waiting
   */
  default boolean tryLock(Duration wait) throws InterruptedException {
    return tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
  }

  /**
   * Acquires with a fixed lease, as {@code withLease(…).lock()}.
   *
   * @param lease at least 10 ms, at most 10,000 days; for a renewed lease use {@link #lock()}
   * @param unit the unit of the lease
   * @throws IllegalArgumentException the lease is out of range
   */
  void lock(long lease, TimeUnit unit);

  /**
   * Acquires with a fixed lease, as {@code withLease(lease).lock()}.
   *
   * @param lease at least 10 ms, at most 10,000 days; for a renewed lease use {@link #lock()}
   * @throws IllegalArgumentException the lease is out of range
   */
  default void lock(Duration lease) {
    withLease(lease).lock();
  }

  /**
   * Acquires with a fixed lease, as {@code withLease(…).lockInterruptibly()}.
   *
   * @param lease at least 10 ms, at most 10,000 days; for a renewed lease use {@link
   *     #lockInterruptibly()}
   * @param unit the unit of the lease
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is out of range
   */
  void lockInterruptibly(long lease, TimeUnit unit) throws InterruptedException;

  /**
   * Acquires with a fixed lease, as {@code withLease(lease).lockInterruptibly()}.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is out of range
   */
  default void lockInterruptibly(Duration lease) throws InterruptedException {
    withLease(lease).lockInterruptibly();
  }

  /**
   * Acquires with a fixed lease until the deadline at most, as {@code withLease(…).tryLock(wait)}.
   *
   * @param wait the longest time to wait; none if not positive
   * @param lease at least 10 ms, at most 10,000 days; for a renewed lease use {@link #tryLock(long,
   *     TimeUnit)}
   * @param unit the unit of both
   * @return whether the lock was acquired
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is out of range
   */
  boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException;

  /**
   * Acquires with a fixed lease until the deadline at most, as {@code
   * withLease(lease).tryLock(wait)}.
   *
   * @param wait the longest time to wait; none if not positive
   * @param lease at least 10 ms, at most 10,000 days
   * @return whether the lock was acquired
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is out of range
   */
  default boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
    return withLease(lease).tryLock(wait);
  }

  /**
   * Whether the calling thread holds the lock and its lease has not ended. It sends no command.
   *
   * @return whether the calling thread holds it
   */
  boolean isHeldByCurrentThread();

  /**
   * Whether a thread of this process holds the lock through this service, and its lease has not
   * ended. It sends no command.
   *
   * @param threadId the thread's id, as {@link Thread#getId()} gives it
   * @return whether that thread holds it
   */
  boolean isHeldByThread(long threadId);

  /**
   * The number of the calling thread's nested holds. It sends no command.
   *
   * @return 0 if it does not hold the lock
   */
  int getHoldCount();

  /**
   * The state of the calling thread's hold. It sends no command.
   *
   * @return {@link LeaseState#RELEASED} if the thread has no hold
   */
  LeaseState leaseState();

  /**
   * Throws unless the calling thread holds the lock and its lease has not ended. It sends no
   * command, so a loop can call it often.
   *
   * @throws LeaseLostException the thread held the lock, but the lease is over
   * @throws IllegalMonitorStateException the thread does not hold the lock
   */
  void ensureHeld();

  /**
   * Calls the listener at every change of a lease of this lock in this service, for the holds of
   * all threads and for lease objects:
   *
   * <ul>
   *   <li>{@link LeaseState#SUSPECT}: a renewal failed
   *   <li>{@link LeaseState#HELD}: a later renewal succeeded
   *   <li>{@link LeaseState#LOST}: the lease is over
   * </ul>
   *
   * <p>The calls run on the service's executor.
   *
   * @param listener called at each change
   * @return a registration; closing it removes the listener
   */
  Registration onLeaseChange(Consumer<? super LeaseChange> listener);

  /**
   * Calls the listener at every loss ({@link LeaseState#LOST}), otherwise as {@link
   * #onLeaseChange}.
   *
   * @param listener called at each loss
   * @return a registration; closing it removes the listener
   */
  default Registration onLeaseLost(Consumer<? super LeaseChange> listener) {
    Objects.requireNonNull(listener, "listener");
    return onLeaseChange(change -> {
      if (change.state() == LeaseState.LOST) {
        listener.accept(change);
      }
    });
  }

  /**
   * Acquires the lock as a value, which is bound to no thread and not reentrant.
   *
   * <p>The lease also excludes the thread that acquired it. A thread that calls {@link #lock()} or
   * {@code acquire()} while its own lease is held waits until another thread releases that lease.
   * If no thread does, it waits without end. The log says so after a third of the lease time.
   *
   * @return a lease of this handle's kind, which the caller closes
   * @throws InterruptedException the thread was interrupted before or while waiting; nothing is
   *     held
   * @throws IllegalStateException the calling thread holds this lock by {@link #lock()}: it would
   *     wait for itself
   */
  Lease acquire() throws InterruptedException;

  /**
   * Acquires the lock as a value, until the deadline at most.
   *
   * @param wait the longest time to wait; none if not positive
   * @return the lease, or nothing if the deadline passed first
   * @throws InterruptedException the thread was interrupted before or while waiting; nothing is
   *     held
   * @throws IllegalStateException the calling thread holds this lock by {@link #lock()}: it would
   *     wait for itself
   */
  Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * A view of this lock that acquires without blocking.
   *
   * @return a view with this handle's lease time
   */
  AsyncLock async();

  /**
   * A condition of this lock, as {@link DistributedLock#newCondition()} describes it. A lock of
   * several members has none.
   *
   * @return a new condition for the threads that have the object
   * @throws UnsupportedOperationException this is a multi-lock, a Redlock, or the read side of a
   *     read/write lock
   */
  @Override
  Condition newCondition();
}
