package io.mortise.conformance;

import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** What the author of a backend gives the lock tests: backends, and time that passes. */
public interface LockKit extends BackendUnderTest {
  /**
   * Opens one more backend, as another process would, on a store that all backends of one test
   * share.
   *
   * @return a backend the kit closes
   */
  LockBackend openBackend();

  /**
   * Lets the store's and the backends' time pass. Override it where a test moves the clock.
   *
   * @param duration how much
   */
  public default void passTime(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
    }
  }
}
