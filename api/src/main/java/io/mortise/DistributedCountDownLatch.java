package io.mortise;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A latch on which threads of many processes wait until others have counted to zero. Its count is
 * set once and counted down. At zero the latch is open and stays open. Two handles of one name are
 * the same latch. It shares nothing with a lock of that name. The counterpart in the JDK is {@link
 * java.util.concurrent.CountDownLatch}.
 *
 * <pre>{@code
 * DistributedCountDownLatch imported = locks.getCountDownLatch("import:2026-11-21");
 * imported.trySetCount(3); // true for the first process that sets it
 * imported.await();        // and in three places, when a part is done: imported.countDown()
 * }</pre>
 *
 * <p><b>Used once.</b> There is no way back from zero, so use a new name for each job, or {@link
 * #delete} the latch. The store remembers a count for 7 days after it was last set, counted down,
 * or waited for before it was open. A forgotten latch looks like one that was never set, so {@code
 * await} waits.
 *
 * <p><b>Nothing is held.</b> Waiting takes nothing and leaves nothing. A process that is gone does
 * not count down, and no other process does it in its place. So wait with a time limit.
 *
 * <p>Methods that ask the store throw {@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException} and {@link LockServiceClosedException}, as
 * those of a lock do. Thread-safe. A handle costs nothing while unused.
 */
public interface DistributedCountDownLatch {
  /** The largest count. */
  long MAX_COUNT = 1L << 52;

  /**
   * The name of this latch, as it was given to {@link LockService#getCountDownLatch}.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * Sets the count, unless it is set. If the store does not answer, the step is sent again for up
   * to a lease time, and takes effect once.
   *
   * @param count 0 to {@link #MAX_COUNT}; 0 opens the latch
   * @return false if it was already set, also if it is open now
   * @throws IllegalArgumentException the count is out of range
   */
  boolean trySetCount(long count);

  /**
   * Counts down by one. At zero all waiters go on. If the store does not answer, the step is sent
   * again for up to a lease time, and counts once. An interrupt does not end the call; the flag
   * stays set.
   *
   * @throws IllegalStateException the latch was never set, or it is open
   */
  void countDown();

  /**
   * The count that is left, as the store answered. It may be out of date when it is read.
   *
   * @return 0 if the latch is open
   * @throws IllegalStateException the latch was never set
   */
  long getCount();

  /**
   * Waits until the latch is open, also if it is not set yet.
   *
   * @throws InterruptedException the thread was interrupted
   */
  void await() throws InterruptedException;

  /**
   * Waits until the latch is open or the time is over, also if it is not set yet.
   *
   * @param wait the longest time to wait; none if not positive
   * @param unit the unit of the wait
   * @return false if the time was over first
   * @throws InterruptedException the thread was interrupted
   */
  boolean await(long wait, TimeUnit unit) throws InterruptedException;

  /**
   * As {@link #await(long, TimeUnit)}.
   *
   * @param wait the longest time to wait; none if not positive
   * @return false if the time was over before
   * @throws InterruptedException the thread was interrupted
   */
  default boolean await(Duration wait) throws InterruptedException {
    return await(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
  }

  /**
   * Waits without blocking a thread. To end the wait, cancel the future or complete it in any other
   * way. Cancelling a stage that is derived from it does not end the wait.
   *
   * @return a future that completes on the service's executor when the latch is open
   */
  CompletableFuture<Void> awaitAsync();

  /**
   * Waits without blocking a thread, until the latch is open or the time is over. To end the wait,
   * cancel the future or complete it in any other way.
   *
   * @param wait the longest time to wait; none if not positive
   * @return a future that completes on the service's executor: with false if the time was over
   *     first
   */
  CompletableFuture<Boolean> awaitAsync(Duration wait);

  /**
   * Deletes the latch, open or not, so that its name can be set again. Waiters go on waiting, as
   * for a latch that was never set. If the store does not answer, the step is sent again for up to
   * a lease time, and takes effect once.
   *
   * <p>Delete a latch only when no process counts it down or waits for it any more. A late {@link
   * #countDown} would count for the next round. A new name for each round needs no such care.
   *
   * @return false if the latch was not set
   */
  boolean delete();
}
