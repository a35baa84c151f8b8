package io.mortise.conformance;

import io.mortise.spi.LockBackend;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** What the author of a backend supplies to the lock tests: backends, and a way to pass time. */
public interface LockKit extends BackendUnderTest {
  /**
   * Opens one more backend, as another process would. All backends of one test share a store.
   *
   * @return a backend, which the kit closes
   */
  LockBackend openBackend();

  /**
   * Lets time pass for the store and the backends. Override it where a test moves the clock.
   *
   * @param duration how much time
   */
  public default void passTime(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
    }
  }
}
