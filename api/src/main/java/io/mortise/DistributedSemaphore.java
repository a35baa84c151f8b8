package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A number of permits that all processes share. Permits are taken as a {@link Lease}: one lease for
 * any number of permits, bound to no thread. Closing the lease gives them back, and {@link
 * Lease#release(int)} gives back a part of them before. Two handles of one name are the same
 * semaphore. It shares nothing with a lock of that name. The counterpart in the JDK is a fair
 * {@link java.util.concurrent.Semaphore}.
 *
 * <pre>{@code
 * DistributedSemaphore printers = locks.getSemaphore("printers", 3);
 * try (Lease lease = printers.acquire(1)) {
 *   // at most three at a time
 * }
 * }</pre>
 *
 * <p><b>Order.</b> First come, first served, across threads and processes. A request for a few
 * permits does not overtake a request for many. No attempt overtakes the queue, also not {@code
 * tryAcquire()}, which does so in the JDK. Permits that come back are granted to as many waiters as
 * there is room for. There is one exception, for 10 ms after permits were acquired from the store.
 * A lease that gives them back then hands them to a request of the same service that wants as many,
 * whether that waits already or comes to wait. {@link LockService.Builder#handOffLimit
 * handOffLimit(0)} turns that off.
 *
 * <p><b>Crashes.</b> A lease is renewed until it is closed. So the permits of a process that is
 * gone come back when its lease ends. A lease can be lost. {@link Lease#onLost} reports that, and
 * another holder may then have its permits.
 *
 * <p><b>Life.</b> The store forgets a semaphore 7 days after its last lease, or when it loses its
 * data. Every way to acquire then throws {@link IllegalStateException}, until {@link
 * #trySetPermits} of any handle sets the permits again. That may be a handle that has set them
 * before.
 *
 * <p>Methods that ask the store throw {@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException} and {@link LockServiceClosedException}, as
 * those of a lock do. Thread-safe. A handle costs nothing while unused.
 */
public interface DistributedSemaphore {
  /**
   * The name of this semaphore, as it was given to {@link LockService#getSemaphore}.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * A handle of the same semaphore whose leases are fixed and not renewed.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return another handle
   * @throws IllegalArgumentException the lease is out of range
   */
  DistributedSemaphore withLease(Duration lease);

  /**
   * Sets the number of permits, unless it is set and the store still remembers it.
   *
   * @param permits at least 1
   * @return false if the number was already set, to any value
   * @throws IllegalArgumentException it is not positive
   */
  boolean trySetPermits(int permits);

  /**
   * Sets the number of permits, also if it was never set. Waiters for which there is room now get
   * their permits. Nothing is taken from holders. If they hold more permits than there are now,
   * nothing is granted until enough of them are back. A waiter that wants more permits than there
   * are now gets the exception of {@link #acquire(int)}.
   *
   * @param permits at least 1
   * @throws IllegalArgumentException it is not positive
   */
  void resize(int permits);

  /**
   * Waits for one permit.
   *
   * @return the permit
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalStateException no permits are set
   */
  default Lease acquire() throws InterruptedException {
    return acquire(1);
  }

  /**
   * Waits for that many permits, and takes all of them at once.
   *
   * @param permits at least 1
   * @return the permits
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Lease acquire(int permits) throws InterruptedException;

  /**
   * Waits for one permit, as {@link #acquireUninterruptibly(int)}.
   *
   * @return the permit
   * @throws IllegalStateException no permits are set
   */
  default Lease acquireUninterruptibly() {
    return acquireUninterruptibly(1);
  }

  /**
   * Waits for that many permits, and takes all of them at once. An interrupt does not end the wait;
   * the flag stays set.
   *
   * @param permits at least 1
   * @return the permits
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Lease acquireUninterruptibly(int permits);

  /**
   * Takes one permit if it is free and the queue is empty.
   *
   * @return the permit, or nothing
   * @throws IllegalStateException no permits are set
   */
  default Optional<Lease> tryAcquire() {
    return tryAcquire(1);
  }

  /**
   * Takes that many permits if they are free and the queue is empty. It sends one command.
   *
   * @param permits at least 1
   * @return the permits, or nothing
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> tryAcquire(int permits);

  /**
   * Waits for permits until the deadline, and takes all of them at once.
   *
   * @param permits at least 1
   * @param wait the longest time to wait; none if not positive
   * @return the permits, or nothing if the deadline passed first
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

  /**
   * As {@link #tryAcquire(int, Duration)}.
   *
   * @param permits at least 1
   * @param wait the longest time to wait; none if not positive
   * @param unit the unit of the wait
   * @return the permits, or nothing if the deadline passed first
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  default Optional<Lease> tryAcquire(int permits, long wait, TimeUnit unit)
      throws InterruptedException {
    return tryAcquire(permits, Duration.ofNanos(unit.toNanos(wait)));
  }

  /**
   * Waits for one permit until the deadline.
   *
   * @param wait the longest time to wait; none if not positive
   * @return the permit, or nothing if the deadline passed first
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalStateException no permits are set
   */
  default Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    return tryAcquire(1, wait);
  }

  /**
   * As {@link #tryAcquire(Duration)}.
   *
   * @param wait the longest time to wait; none if not positive
   * @param unit the unit of the wait
   * @return the permit, or nothing if the deadline passed first
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalStateException no permits are set
   */
  default Optional<Lease> tryAcquire(long wait, TimeUnit unit) throws InterruptedException {
    return tryAcquire(1, wait, unit);
  }

  /**
   * Acquires permits without blocking a thread. The futures fail with what the blocking methods
   * throw.
   *
   * @param permits the number that each acquisition wants; at least 1
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException it is not positive
   */
  AsyncLock async(int permits);

  /**
   * The number of free permits, as the store answered. It may be out of date when it is read.
   *
   * @return 0 also if more permits are held than there are, after {@link #resize}
   * @throws IllegalStateException no permits are set
   */
  int availablePermits();

  /**
   * The number of permits, free and held, as the store answered. It sends one command.
   *
   * @return at least 1
   * @throws IllegalStateException no permits are set
   */
  int totalPermits();

  /**
   * The number of permits that are held, or granted to waiters, as the store answered. It sends one
   * command. It may be out of date when it is read.
   *
   * @return more than {@link #totalPermits} after a {@link #resize} to fewer than are held
   * @throws IllegalStateException no permits are set
   */
  int usedPermits();

  /**
   * Takes all free permits as one lease, without waiting. While the queue is not empty it takes
   * nothing. It sends one command to look and one to take. If another caller was faster, it sends
   * both again.
   *
   * @return the permits, or nothing if none is free
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> drain();

  /**
   * Ends the leases of all holders, and grants the permits to the next waiters. A holder is
   * notified at once if a message reaches its service. Otherwise it learns at its next renewal.
   *
   * @return whether any permits were held
   */
  boolean forceRelease();

  /**
   * Ends one lease, as {@link #forceRelease()} does, if that id still holds permits.
   *
   * @param holderId the id of the lease, as {@link LeaseChange#holder} has it
   * @return false if that id holds no permits; then nothing has changed
   * @throws IllegalArgumentException the text can be no id
   */
  boolean forceRelease(String holderId);

  /**
   * As {@link #forceRelease()}, without blocking.
   *
   * @return whether any permits were held; the future completes on the service's executor and fails
   *     with what the blocking method throws
   */
  CompletableFuture<Boolean> forceReleaseAsync();
}
