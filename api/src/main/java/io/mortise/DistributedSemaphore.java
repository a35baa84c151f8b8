package io.mortise;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A number of permits that all processes share. Permits are taken as a {@link Lease}, one for any
 * number of them, which is bound to no thread; closing it gives them back. Two handles of one name
 * are the same semaphore; it shares nothing with a lock of that name.
 *
 * <pre>{@code
 * DistributedSemaphore printers = locks.getSemaphore("printers");
 * printers.trySetPermits(3); // whoever comes first
 * try (Lease lease = printers.acquire(1)) {
 *   // at most three at a time
 * }
 * }</pre>
 *
 * <p><b>Order.</b> First come, first served, across threads and processes: who asks for many
 * permits is passed by nobody who asks for few, and no attempt passes those who wait (the JDK's
 * {@code tryAcquire()} does). What comes free lets in as many as there is room for.
 *
 * <p><b>Crashes.</b> A lease is renewed until it is closed, so the permits of a process that is
 * gone come back when its lease ends. A lease can be lost, which {@link Lease#onLost} tells; its
 * permits may then be somebody else's.
 *
 * <p><b>Life.</b> A semaphore is forgotten 7 days after its last lease, or with the store's data.
 * Every way to acquire then throws {@link IllegalStateException}, until its permits are set again:
 * by {@link #trySetPermits} of any handle, also of one that has set them before.
 *
 * <p>Methods that ask the store throw {@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException} and {@link LockServiceClosedException} as
 * those of a lock do. Thread-safe; costs nothing while unused.
 */
public interface DistributedSemaphore {
  /**
   * The name this semaphore was asked for by.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * A handle whose leases last that long and are not renewed.
   *
   * @param lease at least 10 ms, at most 10,000 days
   * @return another handle of the same semaphore
   * @throws IllegalArgumentException the lease is out of range
   */
  DistributedSemaphore withLease(Duration lease);

  /**
   * Sets how many permits there are, unless that has been done and the store still knows it.
   *
   * @param permits at least 1
   * @return false if they were set already, to whatever number
   * @throws IllegalArgumentException it is not positive
   */
  boolean trySetPermits(int permits);

  /**
   * Sets how many permits there are, also if they were never set. Waiters for which there is room
   * now are let in. Nothing is taken from those who hold permits: if they hold more than there are
   * now, nobody comes in until enough of them are back. A waiter that asks for more than there are
   * now gets the exception of {@link #acquire(int)}.
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
   * Waits for that many permits, all at once.
   *
   * @param permits at least 1
   * @return the permits
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Lease acquire(int permits) throws InterruptedException;

  /**
   * Takes one permit if it is free and nobody waits.
   *
   * @return the permit, or nothing
   * @throws IllegalStateException no permits are set
   */
  default Optional<Lease> tryAcquire() {
    return tryAcquire(1);
  }

  /**
   * Takes that many permits if they are free and nobody waits: one command.
   *
   * @param permits at least 1
   * @return the permits, or nothing
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> tryAcquire(int permits);

  /**
   * Waits that long for permits.
   *
   * @param permits at least 1
   * @param wait the longest time to wait; none if not positive
   * @return the permits, or nothing if the time was over before
   * @throws InterruptedException the thread was interrupted; nothing stays held
   * @throws IllegalArgumentException it is not positive, or more than there are
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

  /**
   * The same without blocking: no thread waits. The futures fail with what the blocking methods
   * throw.
   *
   * @param permits how many each acquisition wants; at least 1
   * @return a handle, which costs nothing while unused
   * @throws IllegalArgumentException it is not positive
   */
  AsyncLock async(int permits);

  /**
   * How many permits are free: what the store says, which may be over by the time it is read.
   *
   * @return 0 also if more are held than there are since {@link #resize}
   * @throws IllegalStateException no permits are set
   */
  int availablePermits();

  /**
   * Takes all permits that are free, as one lease; never waits. While somebody waits it takes
   * nothing. It asks twice, and again if others were faster.
   *
   * @return the permits, or nothing if none is free
   * @throws IllegalStateException no permits are set
   */
  Optional<Lease> drain();

  /**
   * Ends everybody's leases and lets the next waiters in. The holders are told at once if they can
   * be reached, else at their next renewal.
   *
   * @return whether anybody held permits
   */
  boolean forceRelease();

  /**
   * As {@link #forceRelease}, without blocking.
   *
   * @return whether anybody held permits; completes on the service's executor, and fails with what
   *     the blocking method throws
   */
  CompletableFuture<Boolean> forceReleaseAsync();
}
