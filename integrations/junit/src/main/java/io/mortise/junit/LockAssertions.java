package io.mortise.junit;

import io.mortise.DistributedLock;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on locks, for AssertJ. AssertJ is a dependency of the test itself. A static import of
 * this method and one of AssertJ's own {@code assertThat} go together.
 *
 * <pre>{@code
 * assertThat(locks.getLock("orders:42")).isHeldBy(other).hasWaiters(0);
 * }</pre>
 */
@SuppressWarnings("exports") // an application that calls it has AssertJ
public final class LockAssertions {
  private LockAssertions() {}

  /**
   * Begins an assertion on a lock. Each assertion asks the store once.
   *
   * @param lock the lock
   * @return the assertion
   */
  public static LockAssert assertThat(@Nullable DistributedLock lock) {
    return new LockAssert(lock);
  }
}
