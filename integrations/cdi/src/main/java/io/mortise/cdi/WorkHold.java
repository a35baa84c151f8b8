package io.mortise.cdi;

import io.mortise.Lease;
import java.util.OptionalLong;

/** A lease that is held for a stage, while a thread makes that. */
record WorkHold(LockTarget target, Lease lease, boolean isShared) implements HeldLock, Scope {
  /**
   * Throws if the calling thread works under the lock. A lease is not reentrant, so what the thread
   * asks for would wait for the thread.
   */
  static void requireOutside(LockTarget target) {
    if (ThreadLocks.find(target) != null || target.isHeldByCurrentThread()) {
      throw new IllegalStateException(
          "%s is held for work of thread %s, and a stage needs a hold of its own: it would wait for itself; use another lock, or lock only one of the two methods"
              .formatted(target.text(), Thread.currentThread().getName()));
    }
  }

  /** Makes it known to the calling thread until it is closed. The lease stays held. */
  WorkHold enter() {
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
