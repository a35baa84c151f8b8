package io.mortise.spring;

import io.mortise.DistributedLock;
import io.mortise.Lease;
import io.mortise.LeaseLostException;
import java.util.OptionalLong;

/** A lease that is held for a stage or a publisher, while a thread makes that. */
record WorkHold(DistributedLock lock, Lease lease, boolean isShared) implements HeldLock, Scope {
  /**
   * Throws if the calling thread works under the lock. A lease is not reentrant, so what the thread
   * asks for would wait for the thread.
   */
  static void requireOutside(DistributedLock lock) {
    if (ThreadLocks.find(lock) != null || lock.isHeldByCurrentThread()) {
      throw nested(lock, "thread " + Thread.currentThread().getName());
    }
  }

  static IllegalStateException nested(DistributedLock lock, String holder) {
    return new IllegalStateException(
        "lock '%s' is held for work of %s, and a stage or publisher needs a hold of its own: it would wait for itself; use another lock, or lock only one of the two methods"
            .formatted(lock.name(), holder));
  }

  /** Makes it known to the calling thread until it is closed. The lease stays held. */
  WorkHold enter() {
    ThreadLocks.add(this);
    return this;
  }

  @Override
  public void ensureHeld() {
    if (!lease.isValid()) {
      throw lost();
    }
  }

  LeaseLostException lost() {
    return new LeaseLostException(
        "lock '%s' was lost while the work under it was running; others may have held it since (docs/troubleshooting.md#lease-lost)"
            .formatted(lease.name()));
  }

  @Override
  public long fencingToken() {
    ensureHeld();
    OptionalLong token = lease.fencingToken();
    if (token.isEmpty()) {
      throw new IllegalStateException(
          "lock '%s' has no fencing token; set kind = FENCED".formatted(lock.name()));
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
