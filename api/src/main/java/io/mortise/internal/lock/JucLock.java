package io.mortise.internal.lock;

import io.mortise.AsyncLock;
import io.mortise.Lease;
import io.mortise.LeasedLock;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The forms in which {@link java.util.concurrent.locks.Lock} and {@link LeasedLock} acquire a lock,
 * made of the few in which locks differ.
 */
public abstract class JucLock implements LeasedLock {
  /** What to check if a lock that shall be unlocked was not held. */
  public static final String WHY_NOT_HELD =
      "only the thread that locked it may unlock it; check whether tryLock() returned false (docs/troubleshooting.md#not-held)";

  /** A handle of the same lock with another lease. */
  protected abstract JucLock with(LeaseTerms other);

  /** Counts one more level if the calling thread holds the lock. Returns whether it does. */
  protected abstract boolean lockAgain();

  /**
   * Waits for the lock without end.
   *
   * @throws InterruptedException only if it is interruptible
   */
  protected abstract void lockPatiently(boolean interruptible) throws InterruptedException;

  /** Acquires the lock if it is free. An interrupt changes nothing. */
  protected abstract boolean lockNow() throws InterruptedException;

  /** Waits for the lock for that time at most. If it is not positive, the lock must be free. */
  protected abstract boolean lockWithin(long nanos) throws InterruptedException;

  /** The leases of this lock. */
  protected abstract AsyncLeases leases();

  /** Refuses a lease that the calling thread would wait for while it holds the lock. */
  protected abstract void checkNotHeld();

  /**
   * The calling thread does not hold a lock, and did not lose it.
   *
   * @param lock its kind and name
   */
  protected static IllegalMonitorStateException notHeld(String lock) {
    Thread thread = Thread.currentThread();
    return new IllegalMonitorStateException(
        "%s is not held by thread %s (%d); %s"
            .formatted(lock, Names.shown(thread), thread.getId(), WHY_NOT_HELD));
  }

  @Override
  public final void lock() {
    if (lockAgain()) {
      return;
    }
    try {
      lockPatiently(false);
    } catch (InterruptedException e) {
      throw new AssertionError("an uninterruptible wait does not throw", e);
    }
  }

  @Override
  public final void lockInterruptibly() throws InterruptedException {
    throwIfInterrupted();
    if (!lockAgain()) {
      lockPatiently(true);
    }
  }

  @Override
  public final boolean tryLock() {
    try {
      return lockAgain() || lockNow();
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    }
  }

  @Override
  public final boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
    throwIfInterrupted();
    long nanos = unit.toNanos(wait);
    return lockAgain() || lockWithin(nanos);
  }

  private static void throwIfInterrupted() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }

  @Override
  public final void lock(long lease, TimeUnit unit) {
    with(LeaseTerms.fixed(lease, unit)).lock();
  }

  @Override
  public final void lockInterruptibly(long lease, TimeUnit unit) throws InterruptedException {
    with(LeaseTerms.fixed(lease, unit)).lockInterruptibly();
  }

  @Override
  public final boolean tryLock(long wait, long lease, TimeUnit unit) throws InterruptedException {
    return with(LeaseTerms.fixed(lease, unit)).tryLock(wait, unit);
  }

  /** The token of the hold, if it was acquired just now. */
  protected final OptionalLong tokenOrUnlock(boolean acquired, LongSupplier token) {
    return acquired ? OptionalLong.of(tokenOrUnlock(token)) : OptionalLong.empty();
  }

  /**
   * The token of the hold that was just acquired. Without one, the hold ends.
   *
   * @param token the token of the calling thread's hold; throws if it has none
   */
  protected final long tokenOrUnlock(LongSupplier token) {
    try {
      return token.getAsLong();
    } catch (IllegalMonitorStateException | IllegalStateException e) {
      try {
        unlock();
      } catch (RuntimeException failed) {
        e.addSuppressed(failed);
      }
      throw e;
    }
  }

  @Override
  public final AsyncLock async() {
    return leases();
  }

  @Override
  public final Lease acquire() throws InterruptedException {
    checkNotHeld();
    return leases().await();
  }

  @Override
  public final Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    checkNotHeld();
    return leases().await(wait);
  }
}
