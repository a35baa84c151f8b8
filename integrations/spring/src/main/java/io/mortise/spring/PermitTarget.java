package io.mortise.spring;

import io.mortise.AsyncLock;
import io.mortise.DistributedSemaphore;
import io.mortise.Lease;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Target;
import io.mortise.annotations.internal.ThreadScope;
import io.mortise.spi.internal.Shown;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Permits of a semaphore. They never exclude themselves. */
record PermitTarget(DistributedSemaphore semaphore, Permits permits) implements Target {
  @Override
  public String text() {
    return "semaphore '" + Shown.of(semaphore.name()) + "'";
  }

  @Override
  public boolean has(String name) {
    return semaphore.name().equals(name);
  }

  @Override
  public boolean overlaps(Target other) {
    return false;
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return false;
  }

  @Override
  public @Nullable ThreadScope hold(LockTerms terms) throws InterruptedException {
    return PermitHold.acquire(this, terms);
  }

  @Override
  public Optional<Lease> acquire(@Nullable Duration wait) throws InterruptedException {
    try {
      return attempt(wait);
    } catch (IllegalStateException e) {
      if (setUp()) {
        return attempt(wait);
      }
      throw e;
    }
  }

  private Optional<Lease> attempt(@Nullable Duration wait) throws InterruptedException {
    if (wait == null) {
      return Optional.of(semaphore.acquire(permits.each()));
    }
    return wait.isZero()
        ? semaphore.tryAcquire(permits.each())
        : semaphore.tryAcquire(permits.each(), wait);
  }

  @Override
  public AsyncLock async() {
    return semaphore.async(permits.each());
  }

  /**
   * Sets the permits of a semaphore that has none. The store forgets the number with its data, and
   * some days after the last use. Another process may set it at the same time, and then it is there
   * too.
   *
   * @return whether another attempt may succeed
   */
  boolean setUp() {
    if (permits.total() == 0) {
      return false;
    }
    boolean unused = semaphore.trySetPermits(permits.total());
    return true;
  }
}
