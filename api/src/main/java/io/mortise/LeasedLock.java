package io.mortise;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
 * <p>{@link #tryLock()} waits for no holder. If a service may only keep the lock ({@link
 * LockService.Builder#retain}), it waits for that service, up to 100 ms.
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
   * A handle of the same lock whose holds are renewed, and end at the latest when they have lasted
   * so long. Then renewal stops, the hold is lost with a reason that names this limit, and the lock
   * is given back. It is {@link LockService.Builder#maxHold} for one handle. If the service has a
   * limit too, the shorter one counts.
   *
   * <p>The limit belongs to the hold. Nested acquisitions of the same thread change it only if the
   * hold was not renewed before. Threads of one service do not hand such a hold off to each other.
   * A handle has a fixed lease or a limit: {@link #withLease} and this method replace each other.
   *
   * @param max at least 10 ms, at most 10,000 days; it may be shorter than the lease time
   * @return another handle
   * @throws IllegalArgumentException the limit is out of range
   * @throws UnsupportedOperationException this is a Redlock
   */
  LeasedLock withMaxHold(Duration max);

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
   * Runs work while the calling thread holds the lock: {@link #lock()}, the work, {@link #unlock}.
   * It returns normally only if the thread held the lock from the first step of the work to the
   * last.
   *
   * <p>If {@code lock()} throws, the work is not run. If the work throws, its exception is thrown,
   * and a lost lease or a failed unlock is {@linkplain Throwable#addSuppressed suppressed} in it.
   * Calls may be nested, as those of {@code lock()}. An interrupt does not end the wait for the
   * lock, and the work finds the flag set.
   *
   * @param work runs on the calling thread, once; it may unlock and lock again in pairs
   * @throws LeaseLostException the work has ended normally, but the lease was lost meanwhile, so
   *     another holder may have had the lock
   * @throws IllegalMonitorStateException the work has ended normally, and has itself released the
   *     lock
   */
  default void run(Runnable work) {
    Objects.requireNonNull(work, "work");
    @Nullable Void unused =
        LockedWork.run(
            this,
            () -> {
              work.run();
              return null;
            });
  }

  /**
   * Calls work while the calling thread holds the lock, as {@link #run} does, and returns its
   * result. If the lease was lost meanwhile, there is no result, but an exception.
   *
   * @param work runs on the calling thread, once
   * @param <T> the type of the result
   * @return the result of the work
   * @throws Exception what the work throws
   * @throws LeaseLostException as {@link #run}
   * @throws IllegalMonitorStateException as {@link #run}
   */
  default <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
    Objects.requireNonNull(work, "work");
    return LockedWork.run(this, work::call);
  }

  /**
   * Releases the lock now, and keeps it from all others for some more time: other processes, other
   * threads of this service, and the calling thread too. The store keeps that time by itself, so
   * this service may be closed and its process may end. Where work must not be done twice within a
   * minute, call it with what is left of that minute.
   *
   * <p>The time may be shorter or longer than the lease that is left. Only a forced unlock ends it
   * early. A thread that waits acquires the lock at the end, or up to about two seconds after it.
   * In a nested hold this method leaves one level, and the time counts when the outermost level is
   * left. Of several times the latest counts. A wait for a condition leaves no level: it frees the
   * lock at once, and the time counts for the hold with which it returns.
   *
   * <p>If the store cannot be reached, this method returns normally as {@link #unlock} does. It is
   * then told in the background. Until it answers, the lock is kept by its lease only.
   *
   * @param after how long the lock is not free yet, at most 10,000 days; zero or negative: as
   *     {@link #unlock}
   * @throws IllegalMonitorStateException the calling thread does not hold the lock; it is a {@link
   *     LeaseLostException} if it held it and the lease is over
   * @throws IllegalArgumentException the time is too long
   * @throws UnsupportedOperationException this is a Redlock, which is still held
   */
  void unlockAfter(Duration after);

  /**
   * Whether the calling thread holds the lock and its lease has not ended. It sends no command.
   *
   * <p>A thread that lost its hold and gets {@code false} here need not unlock. When it acquires
   * its next lock, the loss is forgotten. Until then {@link #unlock} throws {@link
   * LeaseLostException}. Of a {@link MultiLock} the other members may still be held, so unlock that
   * in any case.
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
   * command, so a loop can call it often. There is one exception: if the machine may have been
   * suspended beyond the lease, it asks the store.
   *
   * @throws LeaseLostException the thread held the lock, but the lease is over, or may be and the
   *     store does not answer
   * @throws IllegalMonitorStateException the thread does not hold the lock
   */
  void ensureHeld();

  /**
   * Calls the listener at every change of a lease of this lock in this service, for the holds of
   * all threads and for lease objects:
   *
   * <ul>
   *   <li>{@link LeaseState#SUSPECT}: a renewal failed, or the machine may have been suspended
   *   <li>{@link LeaseState#HELD}: after that, the store has confirmed it
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
