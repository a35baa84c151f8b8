package io.mortise.spring;

import io.mortise.Lease;
import io.mortise.LeaseState;
import io.mortise.annotations.internal.HeldLock;
import io.mortise.annotations.internal.Interruption;
import io.mortise.annotations.internal.LockTerms;
import io.mortise.annotations.internal.Scope;
import io.mortise.annotations.internal.Target;
import io.mortise.annotations.internal.ThreadLocks;
import io.mortise.annotations.internal.ThreadScope;
import org.jspecify.annotations.Nullable;

/** Permits that are held for a call of the current thread. Any thread can give them back. */
final class PermitHold extends ThreadScope {
  private final PermitTarget target;
  private final LockTerms terms;
  private final Lease lease;

  private PermitHold(PermitTarget target, LockTerms terms, Lease lease) {
    this.target = target;
    this.terms = terms;
    this.lease = lease;
  }

  /**
   * Acquires the permits.
   *
   * @return null if too few were free until the wait was over
   */
  static @Nullable PermitHold acquire(PermitTarget target, LockTerms terms)
      throws InterruptedException {
    Lease lease = target.acquire(terms.waitFor()).orElse(null);
    if (lease == null) {
      return null;
    }
    PermitHold hold = new PermitHold(target, terms, lease);
    ThreadLocks.add(hold);
    return hold;
  }

  @Override
  public Target target() {
    return target;
  }

  /** Only this object gives the permits back, so those that were given back are not lost. */
  @Override
  public void ensureHeld() {
    if (!lease.isValid() && lease.state() != LeaseState.RELEASED) {
      throw HeldLock.lost(target);
    }
  }

  @Override
  public long fencingToken() {
    throw HeldLock.noToken(target);
  }

  @Override
  public boolean isShared() {
    return false;
  }

  @Override
  public boolean isReentrant() {
    return true;
  }

  @Override
  protected Scope interruption() {
    return Interruption.of(lease);
  }

  /** The work that is still running keeps its permits. Those of work that is over come back. */
  @Override
  protected void transactionEndedBy(Thread other, Thread own, boolean workIsOver) {
    if (workIsOver) {
      release();
    }
  }

  @Override
  protected void release() {
    if (lease.state() == LeaseState.RELEASED) {
      return;
    }
    if (terms.atLeast().isZero()) {
      lease.close();
    } else {
      lease.closeAfter(terms.atLeast().minusNanos(age()));
    }
  }
}
