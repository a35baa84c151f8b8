package io.mortise.internal.lock;

import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.engine.Waiter;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import java.time.Duration;
import java.util.Objects;

/** A handle of one side of a read/write lock, which knows what its thread holds of the other. */
final class ReadWriteSide extends LockHandle {
  private final LockKeys otherSide;

  ReadWriteSide(Engine engine, LockKeys keys, LeaseTerms lease) {
    super(engine, keys, lease);
    otherSide = keys.as(reads() ? LockKind.WRITE : LockKind.READ);
  }

  private boolean reads() {
    return keys().kind() == LockKind.READ;
  }

  @Override
  public ReadWriteSide withLease(Duration fixed) {
    return with(LeaseTerms.fixed(Objects.requireNonNull(fixed, "lease")));
  }

  @Override
  ReadWriteSide with(LeaseTerms other) {
    return new ReadWriteSide(engine(), keys(), other);
  }

  /** Both sides have handles of their own kind alone. */
  @Override
  LockHandle handleOf(Hold hold) {
    return with(hold.acquisition().lease().terms());
  }

  /** A writer also reads at once; a reader that waited to write would wait for itself. */
  @Override
  Waiter ready(Waiter waiter) {
    Hold other = engine().gates().holdOfCurrentThread(otherSide);
    if (other == null || !isHeld(other)) {
      return waiter;
    }
    if (!reads()) {
      throw onlyReads(waiter.thread());
    }
    return waiter.beside(other.acquisition().id());
  }

  private IllegalStateException onlyReads(Thread thread) {
    return new IllegalStateException(
        "lock '%s' is held for reading by thread %s (%d), which would wait for itself to write; unlock the read lock first, or use tryUpgrade()"
            .formatted(name(), thread.getName(), thread.getId()));
  }

  /** A lease is of no thread, so what the thread holds of the other side keeps it out too. */
  @Override
  boolean wouldWaitForItself() {
    Hold other = engine().gates().holdOfCurrentThread(otherSide);
    boolean excludes = other != null && isHeld(other);
    return excludes || super.wouldWaitForItself();
  }

  /** Takes this side for a thread that holds the other, if nobody else is inside. */
  boolean tryLockBeside(Hold other) {
    try {
      return enterAgain() || take(impatient().beside(other.acquisition().id()));
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    }
  }
}
