package io.mortise.annotations.internal;

import io.mortise.Lease;
import io.mortise.spi.internal.Shown;
import java.util.OptionalLong;

/**
 * A lease that is held for work that ends later, as that of a stage or a publisher, while a thread
 * starts the work.
 */
public record WorkHold(Target target, Lease lease, boolean isShared) implements HeldLock, Scope {
  /**
   * Throws if the calling thread works under the lock. A lease is not reentrant, so what the thread
   * asks for would wait for the thread.
   */
  public static void requireOutside(Target target) {
    if (ThreadLocks.find(target) != null || target.isHeldByCurrentThread()) {
      throw nested(target, "thread " + Shown.thisThread());
    }
  }

  /** The exception for work that would wait for work around it. */
  public static IllegalStateException nested(Target target, String holder) {
    return new IllegalStateException(
        "%s is held for work of %s, and work that ends later needs a hold of its own: it would wait for itself; use another lock, or lock only one of the two methods"
            .formatted(target.text(), holder));
  }

  /** Makes it known to the calling thread until it is closed. The lease stays held. */
  public WorkHold enter() {
    ThreadLocks.add(this);
    return this;
  }

  @Override
  public void ensureHeld() {
    if (!lease.isValid()) {
      throw HeldLock.lost(target);
    }
  }

  @Override
  public long fencingToken() {
    ensureHeld();
    OptionalLong token = lease.fencingToken();
    if (token.isEmpty()) {
      throw HeldLock.noToken(target);
    }
    return token.getAsLong();
  }

  @Override
  public boolean isReentrant() {
    return false;
  }

  @Override
  public void close() {
    ThreadLocks.remove(this);
  }
}
