package io.mortise;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Lets threads of many processes wait until others have counted to zero. It is set once, is counted
 * down, and stays open from then on. Two handles of one name are the same latch; it shares nothing
 * with a lock of that name.
 *
 * <pre>{@code
 * DistributedCountDownLatch imported = locks.getCountDownLatch("import:2026-11-21");
 * imported.trySetCount(3); // whoever comes first
 * imported.await();        // and in three places, when a part is done: imported.countDown()
 * }</pre>
 *
 * <p><b>Once.</b> There is no way back from zero: use a name of its own for each job. A count is
 * remembered for 7 days since it was last set, counted down or waited for; who waits for a latch
 * that is forgotten waits for one that was never set.
 *
 * <p><b>Nothing is held.</b> Waiting takes nothing and leaves nothing. A process that is gone has
 * not counted down, and nobody does it in its place: wait with a time limit.
 *
 * <p>Methods that ask the store throw {@link BackendUnavailableException}, {@link
 * OutcomeUnknownException}, {@link ForeignKeyException} and {@link LockServiceClosedException} as
 * those of a lock do. Thread-safe; costs nothing while unused.
 */
public interface DistributedCountDownLatch {
  /** The largest count. */
  long MAX_COUNT = 1L << 52;

  /**
   * The name this latch was asked for by.
   *
   * @return the name, without prefix
   */
  String name();

  /**
   * Sets the count, unless that has been done. Without an answer it asks again for up to a lease
   * time, and counts as one attempt.
   *
   * @param count from 0, which opens it, to {@link #MAX_COUNT}
   * @return false if it was set already, also if it is open by now
   * @throws IllegalArgumentException the count is out of range
   */
  boolean trySetCount(long count);

  /**
   * Counts down by one; at zero all who wait go on. Without an answer it asks again for up to a
   * lease time, and counts once, however often it was asked. An interrupt is kept for later.
   *
   * @throws IllegalStateException the latch was never set, or it is open already
   */
  void countDown();

  /**
   * What is left to count: what the store says, which may be over by the time it is read.
   *
   * @return 0 if it is open
   * @throws IllegalStateException the latch was never set
   */
  long getCount();

  /**
   * Waits until it is open, also if it has yet to be set.
   *
   * @throws InterruptedException the thread was interrupted
   */
  void await() throws InterruptedException;

  /**
   * Waits that long until it is open, also if it has yet to be set.
   *
   * @param wait the longest time to wait; none if not positive
   * @param unit its unit
   * @return false if the time was over before
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
   * Waits without blocking: no thread waits. Cancelling the future, or completing it in any other
   * way, ends the waiting; that does not reach it from a stage derived from it.
   *
   * @return complete, on the service's executor, when the latch is open
   */
  CompletableFuture<Void> awaitAsync();
}
