package io.mortise.internal.lock;

import io.mortise.LeasedLock;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Acquires a lock together with the fencing token of the hold.
 *
 * @param lock a fenced lock
 * @param token the token of the calling thread's hold; throws if it has none
 */
public record TokenLocking(LeasedLock lock, LongSupplier token) {
  public long lockAndGetToken() {
    lock.lock();
    return tokenOrUnlock();
  }

  public OptionalLong tryLockAndGetToken() {
    return lock.tryLock() ? OptionalLong.of(tokenOrUnlock()) : OptionalLong.empty();
  }

  public OptionalLong tryLockAndGetToken(Duration wait) throws InterruptedException {
    return lock.tryLock(wait) ? OptionalLong.of(tokenOrUnlock()) : OptionalLong.empty();
  }

  /** The token of the hold that was just acquired. Without one, the hold ends. */
  private long tokenOrUnlock() {
    try {
      return token.getAsLong();
    } catch (IllegalMonitorStateException | IllegalStateException e) {
      try {
        lock.unlock();
      } catch (RuntimeException failed) {
        e.addSuppressed(failed);
      }
      throw e;
    }
  }
}
