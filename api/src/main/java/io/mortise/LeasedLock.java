package io.mortise;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

/**
 * A {@link Lock} whose ownership is a lease: it ends by itself when the holder's process is gone.
 * While the process lives and the store answers, a lease without an explicit time is renewed until
 * it is released.
 *
 * <p>Reentrant: a thread that holds the lock acquires it again at once, without a command, and
 * releases it with the last {@link #unlock}. A nested acquisition never has less lease than it asks
 * for and never shortens what is held. More than {@link Integer#MAX_VALUE} nested holds are an
 * {@link Error}, as in the JDK.
 *
 * <p>Errors, beside those of {@link Lock}: {@link BackendUnavailableException} when the store
 * certainly did not acquire, {@link OutcomeUnknownException} when that is not known, {@link
 * ForeignKeyException} when the lock's key is somebody else's, {@link LockServiceClosedException}
 * after close. With the store out of reach, {@link #lock} and {@link #tryLock()} throw at the first
 * attempt that was certainly not executed, a timed {@code tryLock} tries until its time is over and
 * then throws, and a thread that already waits in the queue rides out an outage of up to one lease
 * time.
 *
 * <p>{@link #unlock} throws {@link IllegalMonitorStateException} if the calling thread does not
 * hold the lock, and its subclass {@link LeaseLostException} if it did but the lease is over. If
 * the store cannot be reached, {@code unlock} returns normally, renewal has stopped, and the
 * release is sent in the background until it is confirmed or the lease has ended.
 *
 * <p>A handle is thread-safe and costs nothing while unused.
 */
public interface LeasedLock extends Lock {
  /**
   * The name this lock was asked for by.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * The same lock, with a fixed lease that is not renewed for acquisitions through the returned
   * handle.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return another handle of this lock
   * @throws IllegalArgumentException the lease is out of range
   */
  LeasedLock withLease(Duration lease);

  /**
   * As {@link Lock#tryLock(long, TimeUnit)}.
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
   * @param lease at least 10 ms; for a renewed lease use {@link #lock()}
   * @param unit of the lease
   * @throws IllegalArgumentException the lease is not positive or too long
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
   * @param lease at least 10 ms; for a renewed lease use {@link #lockInterruptibly()}
   * @param unit of the lease
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is not positive or too long
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
   * Acquires with a fixed lease if that is possible in time, as {@code withLease(…).tryLock(wait)}.
   *
   * @param wait the longest time to wait; none if not positive
   * @param lease at least 10 ms; for a renewed lease use {@link #tryLock(long, TimeUnit)}
   * @param unit of both
   * @return whether the lock was acquired
   * @throws InterruptedException the thread was interrupted before or while waiting
   * @throws IllegalArgumentException the lease is not positive or too long
   */
  boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException;

  /**
   * Acquires with a fixed lease if that is possible in time, as {@code
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
   * Whether the calling thread holds the lock and its lease has not ended. Sends nothing.
   *
   * @return whether it is held here
   */
  boolean isHeldByCurrentThread();

  /**
   * Whether a thread of this process holds the lock through this service. Sends nothing.
   *
   * @param threadId as {@link Thread#getId()} gives it
   * @return whether it is held there
   */
  boolean isHeldByThread(long threadId);

  /**
   * The calling thread's nested holds. Sends nothing.
   *
   * @return 0 if it does not hold the lock
   */
  int getHoldCount();

  /**
   * How the calling thread's hold stands. Sends nothing.
   *
   * @return {@link LeaseState#RELEASED} if it has none
   */
  LeaseState leaseState();

  /**
   * Throws unless the calling thread holds the lock and its lease has not ended; for use inside
   * loops. Sends nothing.
   *
   * @throws LeaseLostException it held the lock, but the lease is over
   * @throws IllegalMonitorStateException it does not hold the lock
   */
  void ensureHeld();

  /**
   * Calls the listener whenever the lease of a hold of this lock in this service changes, whichever
   * thread holds it: when a renewal fails ({@link LeaseState#SUSPECT}), when a later one succeeds
   * ({@link LeaseState#HELD}), and when the lease is over ({@link LeaseState#LOST}). Called on the
   * service's executor.
   *
   * @param listener called at each such change
   * @return removes the listener
   */
  Registration onLeaseChange(Consumer<? super LeaseChange> listener);

  /**
   * As {@link #onLeaseChange}, but for {@link LeaseState#LOST} alone.
   *
   * @param listener called at each loss
   * @return removes the listener
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
   * Acquires as a value, bound to no thread and not reentrant.
   *
   * <p>The lease also excludes the thread that acquired it. A thread that calls {@link #lock()} or
   * {@code acquire()} while its own lease is held waits until another thread releases that lease.
   * If none will, it waits without end; the log says so after a third of the lease time.
   *
   * @return a lease of this handle's kind, to be closed
   * @throws InterruptedException the thread was interrupted before or while waiting; nothing is
   *     held
   * @throws IllegalStateException the calling thread holds this lock by {@link #lock()}: it would
   *     wait for itself
   */
  Lease acquire() throws InterruptedException;

  /**
   * Acquires as a value if that is possible in time.
   *
   * @param wait the longest time to wait; none if not positive
   * @return the lease, or nothing if the time was over before
   * @throws InterruptedException the thread was interrupted before or while waiting; nothing is
   *     held
   * @throws IllegalStateException the calling thread holds this lock by {@link #lock()}: it would
   *     wait for itself
   */
  Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * This lock without blocking.
   *
   * @return a view with this handle's lease
   */
  AsyncLock async();

  /**
   * A condition of this lock, if it is a lock of one name: see {@link
   * DistributedLock#newCondition()}.
   *
   * @return a new condition, private to the object
   * @throws UnsupportedOperationException this is a lock of several members, or the read side of a
   *     read/write lock
   */
  @Override
  Condition newCondition();
}
