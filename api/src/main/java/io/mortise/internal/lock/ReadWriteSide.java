package io.mortise.internal.lock;

import io.mortise.internal.engine.Engine;
import io.mortise.internal.engine.Hold;
import io.mortise.internal.engine.Waiter;
import io.mortise.internal.wire.LeaseTerms;
import io.mortise.internal.wire.LockKeys;
import io.mortise.internal.wire.LockKind;
import io.mortise.internal.wire.Names;
import org.jspecify.annotations.Nullable;

/**
 * A handle of one side of a read/write lock. It takes the thread's hold of the other side into
 * account.
 */
final class ReadWriteSide extends LockHandle {
  private final LockKeys otherSide;

  /** Whether its threads may share what one of them gets from the store. */
  private final boolean shares;

  ReadWriteSide(Engine engine, LockKeys keys, LeaseTerms lease, boolean shares) {
    super(engine, keys, lease);
    this.shares = shares;
    otherSide = keys.as(reads() ? LockKind.WRITE : LockKind.READ);
  }

  private boolean reads() {
    return keys().kind() == LockKind.READ;
  }

  @Override
  protected ReadWriteSide with(LeaseTerms other) {
    return new ReadWriteSide(engine(), keys(), other, shares);
  }

  /** A multi-lock tells its listeners which thread has lost a member, by the id of the hold. */
  @Override
  ReadWriteSide unshared() {
    return new ReadWriteSide(engine(), keys(), leaseTerms(), false);
  }

  /** A hold of this side was always acquired by a handle of this side. */
  @Override
  LockHandle handleOf(Hold hold) {
    return with(hold.acquisition().lease().terms());
  }

  /**
   * A thread that writes may also read at once. A thread that reads and waited to write would wait
   * for itself, so it gets an exception.
   */
  @Override
  Waiter ready(Waiter waiter) {
    Hold other = heldBeside();
    if (other == null) {
      return shares ? waiter.sharing() : waiter;
    }
    if (!reads()) {
      throw onlyReads(waiter.thread());
    }
    return waiter.beside(other.acquisition().id());
  }

  /** The thread's hold of the other side; null if it has none. */
  private @Nullable Hold heldBeside() {
    Hold other = engine().gates().holdOfCurrentThread(otherSide);
    return other != null && isHeld(other) ? other : null;
  }

  @Override
  void checkLocksAgain() {
    if (heldBeside() != null) {
      Thread thread = Thread.currentThread();
      throw new IllegalStateException(
          "lock '%s' is also held for reading by thread %s (%d), which would wait for itself to write again after await(); unlock the read lock before"
              .formatted(Names.shown(name()), Names.shown(thread), thread.getId()));
    }
  }

  private IllegalStateException onlyReads(Thread thread) {
    return new IllegalStateException(
        "lock '%s' is held for reading by thread %s (%d), which would wait for itself to write; unlock the read lock first, or use tryUpgrade()"
            .formatted(Names.shown(name()), Names.shown(thread), thread.getId()));
  }

  /**
   * A lease belongs to no thread. So the thread's hold of the other side excludes the lease too.
   */
  @Override
  boolean wouldWaitForItself() {
    return heldBeside() != null || super.wouldWaitForItself();
  }

  /** Acquires this side for a thread that holds the other, if no other thread holds the lock. */
  boolean tryLockBeside(Hold other) {
    try {
      return lockAgain() || upgrade(impatient().beside(other.acquisition().id()), other);
    } catch (InterruptedException e) {
      throw new AssertionError("an attempt that does not wait does not throw", e);
    }
  }

  /** Other threads of this service may hold by the same id, which the store cannot know. */
  private boolean upgrade(Waiter waiter, Hold other) throws InterruptedException {
    if (other.isOnly()) {
      return take(waiter);
    }
    engine().store().checkOpen(keys());
    return reported(false, waiter);
  }
}
