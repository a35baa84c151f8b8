package io.mortise.junit;

import io.mortise.DistributedLock;
import io.mortise.LockHolder;
import io.mortise.LockService;
import io.mortise.spi.internal.Shown;
import java.util.Optional;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on a lock, as the store has it at that moment. Begin at {@link LockAssertions}. */
@SuppressWarnings("exports") // an application that calls it has AssertJ
public final class LockAssert extends AbstractAssert<LockAssert, @Nullable DistributedLock> {
  LockAssert(@Nullable DistributedLock lock) {
    super(lock, LockAssert.class);
  }

  private DistributedLock lock() {
    isNotNull();
    DistributedLock lock = actual;
    if (lock == null) {
      throw new AssertionError("isNotNull has thrown");
    }
    return lock;
  }

  /**
   * Asserts that no process holds the lock.
   *
   * @return this
   */
  public LockAssert isFree() {
    lock()
        .holder()
        .ifPresent(holder -> failWithMessage("expected %s to be free; %s", name(), text(holder)));
    return this;
  }

  /**
   * Asserts that some process holds the lock.
   *
   * @return this
   */
  public LockAssert isHeld() {
    if (lock().holder().isEmpty()) {
      failWithMessage("expected %s to be held; it is free", name());
    }
    return this;
  }

  /**
   * Asserts that a thread or lease of this service holds the lock.
   *
   * @param process the service
   * @return this
   */
  public LockAssert isHeldBy(LockService process) {
    Optional<LockHolder> holder = lock().holder();
    if (holder.filter(each -> each.clientId().equals(process.clientId())).isEmpty()) {
      failWithMessage(
          "expected %s to be held by %s; %s",
          name(), process.clientId(), holder.map(LockAssert::text).orElse("it is free"));
    }
    return this;
  }

  /**
   * Asserts how many acquisitions wait in the store's queue. {@link LockWorld#awaitWaiting} says
   * what counts as one.
   *
   * @param expected the number; a free lock has none
   * @return this
   */
  public LockAssert hasWaiters(int expected) {
    int waiters = lock().holder().map(LockHolder::waiters).orElse(0);
    if (waiters != expected) {
      failWithMessage("expected %s to have %s waiters; it has %s", name(), expected, waiters);
    }
    return this;
  }

  private String name() {
    return "lock '" + Shown.of(lock().name()) + "'";
  }

  private static String text(LockHolder holder) {
    String thread = holder.threadName().map(name -> ", thread '" + Shown.of(name) + "'").orElse("");
    return "its holder is %s%s, with %s left and %d waiters"
        .formatted(holder.clientId(), thread, holder.leaseLeft(), holder.waiters());
  }
}
