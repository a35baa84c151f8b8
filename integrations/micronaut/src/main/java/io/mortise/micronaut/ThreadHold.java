package io.mortise.micronaut;

import io.mortise.LeasedLock;
import java.time.Duration;

/**
 * One level of a lock that the current thread holds. As a resource of {@code try} it gives the rule
 * for a loss: the exception of {@link #close} replaces a result, and is suppressed in an exception
 * of the work.
 *
 * @param atLeast how long after its acquisition the lock is not free again
 * @param since when it was acquired, by {@link System#nanoTime}
 */
record ThreadHold(LeasedLock lock, Duration atLeast, long since) implements AutoCloseable {
  /**
   * Releases this level. Only the last level's release tells a loss by itself, so this looks first.
   *
   * @throws io.mortise.LeaseLostException the lease was over before
   */
  @Override
  public void close() {
    try {
      lock.ensureHeld();
    } finally {
      if (atLeast.isZero()) {
        lock.unlock();
      } else {
        lock.unlockAfter(atLeast.minusNanos(System.nanoTime() - since));
      }
    }
  }
}
